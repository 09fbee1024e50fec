//@ combiners: mpi types
/* The types of MPI itself, by their place in the list of operations. */
static MPI_Datatype basic(int64_t number)
{
	const MPI_Datatype known[] = {
		MPI_BYTE, MPI_BYTE, MPI_PACKED, MPI_CHAR, MPI_SIGNED_CHAR, MPI_UNSIGNED_CHAR, MPI_WCHAR, MPI_SHORT,
		MPI_UNSIGNED_SHORT, MPI_INT, MPI_UNSIGNED, MPI_LONG, MPI_UNSIGNED_LONG, MPI_LONG_LONG_INT,
		MPI_LONG_LONG, MPI_UNSIGNED_LONG_LONG, MPI_FLOAT, MPI_DOUBLE, MPI_LONG_DOUBLE, MPI_C_BOOL, MPI_INT8_T,
		MPI_INT16_T, MPI_INT32_T, MPI_INT64_T, MPI_UINT8_T, MPI_UINT16_T, MPI_UINT32_T, MPI_UINT64_T, MPI_AINT,
		MPI_OFFSET, MPI_COUNT, MPI_C_COMPLEX, MPI_C_FLOAT_COMPLEX, MPI_C_DOUBLE_COMPLEX,
		MPI_C_LONG_DOUBLE_COMPLEX, MPI_FLOAT_INT, MPI_DOUBLE_INT, MPI_LONG_INT, MPI_SHORT_INT, MPI_2INT,
		MPI_LONG_DOUBLE_INT, MPI_CHARACTER, MPI_LOGICAL, MPI_INTEGER, MPI_REAL, MPI_DOUBLE_PRECISION, MPI_COMPLEX,
		MPI_DOUBLE_COMPLEX,
	};

	return number > 0 && (size_t)number < sizeof(known) / sizeof(*known) ? known[number] : MPI_BYTE;
}

/* Arguments of a type: numbers first, then addresses, then types. */
struct made {
	int number[3080];
	MPI_Aint address[3080];
	MPI_Datatype type[3080];
};

static void sorted(struct made *to, const int64_t *all, int64_t numbers, int64_t addresses, int64_t types)
{
	for (int64_t at = 0; at < numbers; at++)
		to->number[at] = (int)all[at];
	for (int64_t at = 0; at < addresses; at++)
		to->address[at] = (MPI_Aint)all[numbers + at];
	for (int64_t at = 0; at < types; at++)
		to->type[at] = type(all[numbers + addresses + at]);
}

/* Orders and distributions are numbered the same for all libraries in a trace. */
static int darray(const struct made *m, MPI_Datatype *out)
{
	int spread[3080], by[3080], n = m->number[2];

	for (int at = 0; at < n; at++) {
		int kind = m->number[3 + n + at];

		spread[at] = kind == 0 ? MPI_DISTRIBUTE_BLOCK : kind == 1 ? MPI_DISTRIBUTE_CYCLIC : MPI_DISTRIBUTE_NONE;
		by[at] = m->number[3 + 2 * n + at] == -1 ? MPI_DISTRIBUTE_DFLT_DARG : m->number[3 + 2 * n + at];
	}
	return MPI_Type_create_darray(m->number[0], m->number[1], n, &m->number[3], spread, by, &m->number[3 + 3 * n],
		m->number[3 + 4 * n] ? MPI_ORDER_FORTRAN : MPI_ORDER_C, m->type[0], out);
}

/* Types of one other type and a few numbers, by their combiner in MPI's order from 1. */
static int plain(int64_t combiner, const int64_t *all, int64_t many, struct made *m, MPI_Datatype *out)
{
	if (combiner == 2 && many == 1) {
		sorted(m, all, 0, 0, 1);
		return MPI_Type_dup(m->type[0], out);
	}
	if (combiner == 3 && many == 2) {
		sorted(m, all, 1, 0, 1);
		return MPI_Type_contiguous(m->number[0], m->type[0], out);
	}
	if (combiner == 4 && many == 4) {
		sorted(m, all, 3, 0, 1);
		return MPI_Type_vector(m->number[0], m->number[1], m->number[2], m->type[0], out);
	}
	if ((combiner == 5 || combiner == 6) && many == 4) {
		sorted(m, all, 2, 1, 1);
		return MPI_Type_create_hvector(m->number[0], m->number[1], m->address[0], m->type[0], out);
	}
	if (combiner == 18 && many == 3) {
		sorted(m, all, 0, 2, 1);
		return MPI_Type_create_resized(m->type[0], m->address[0], m->address[1], out);
	}
	return MPI_ERR_TYPE;
}

/* Types of lists, of which there are `n`. */
static int lists(int64_t combiner, const int64_t *all, int64_t many, int64_t n, struct made *m, MPI_Datatype *out)
{
	if (combiner == 7 && many == 2 * n + 2) {
		sorted(m, all, 2 * n + 1, 0, 1);
		return MPI_Type_indexed((int)n, &m->number[1], &m->number[1 + n], m->type[0], out);
	}
	if ((combiner == 8 || combiner == 9) && many == 2 * n + 2) {
		sorted(m, all, n + 1, n, 1);
		return MPI_Type_create_hindexed((int)n, &m->number[1], m->address, m->type[0], out);
	}
	if (combiner == 10 && many == n + 3) {
		sorted(m, all, n + 2, 0, 1);
		return MPI_Type_create_indexed_block((int)n, m->number[1], &m->number[2], m->type[0], out);
	}
	if ((combiner == 11 || combiner == 12) && many == 3 * n + 1) {
		sorted(m, all, n + 1, n, n);
		return MPI_Type_create_struct((int)n, &m->number[1], m->address, m->type, out);
	}
	if (combiner == 13 && many == 3 * n + 3) {
		sorted(m, all, 3 * n + 2, 0, 1);
		return MPI_Type_create_subarray((int)n, &m->number[1], &m->number[1 + n], &m->number[1 + 2 * n],
			m->number[1 + 3 * n] ? MPI_ORDER_FORTRAN : MPI_ORDER_C, m->type[0], out);
	}
	if (combiner == 19 && many == n + 3) {
		sorted(m, all, 2, n, 1);
		return MPI_Type_create_hindexed_block((int)n, m->number[1], m->address, m->type[0], out);
	}
	return MPI_ERR_TYPE;
}

/* Makes a type by its combiner; whether that went well. */
static int built(int64_t combiner, const int64_t *all, int64_t many, MPI_Datatype *out)
{
	static struct made m;
	int64_t n = many > 0 ? all[0] : 0, dimensions = many > 2 ? all[2] : 0;

	if (many < 1 || many > 3072)
		return 0;
	if (combiner == 14 && dimensions >= 0 && many == 4 * dimensions + 5) {
		sorted(&m, all, 4 * dimensions + 4, 0, 1);
		return darray(&m, out) == MPI_SUCCESS;
	}
	if (plain(combiner, all, many, &m, out) == MPI_SUCCESS)
		return 1;
	return n >= 0 && n <= many && lists(combiner, all, many, n, &m, out) == MPI_SUCCESS;
}

//@ MPI_Type: types combiners series numbered
/* Makes a type as it was made: arguments are numbers, addresses, types, three in a row. */
static void do_MPI_Type(struct task *t, int64_t number, int64_t combiner, struct series *a, struct series *b,
	struct series *c)
{
	struct type *at = numbered(TYPES, number, sizeof(*at));
	int64_t many, *all;
	MPI_Datatype made = MPI_BYTE;

	(void)t;
	next(a);
	next(b);
	many = next(c);
	many = many < 0 ? 0 : many > 3072 ? 3072 : many;
	all = calloc((size_t)many + 3, sizeof(*all));
	for (int64_t row = 0; all && row < many; row += 3) {
		all[row] = next(a);
		all[row + 1] = next(b);
		all[row + 2] = next(c);
	}
	if (!all || (combiner != 1 && !built(combiner, all, many, &made)))
		fprintf(stderr, "cannot rebuild an MPI datatype: number %" PRId64 "\n", number);
	if (combiner == 1)
		made = basic(number);
	at = numbered(TYPES, number, sizeof(*at));
	at->handle = made;
	at->known = 1;
	if (combiner != 1)
		MPI_Type_commit(&at->handle);
	free(all);
}
