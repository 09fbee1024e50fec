//@ part
/* Which routine a thread of a rank runs: `rows` of `count` ranks each, from `first` on by `step`, and rows by `across`;
   their places are from `base` on. */
struct part {
	int process, thread, first, step, count, across, rows;
	int64_t base, start; /* when it begins, in nanoseconds after the first of all */
	void (*run)(struct task *);
};

//@ crew: part
static const struct part *part_of(int rank, int process, int thread, int64_t *m)
{
	for (size_t at = 0; at < sizeof(parts) / sizeof(*parts); at++) {
		const struct part *part = &parts[at];
		int from = rank - part->first, row = from / part->across, within = from % part->across;

		if (part->process == process && part->thread == thread && from >= 0 && row < part->rows
			&& within % part->step == 0 && within / part->step < part->count) {
			*m = part->base + (int64_t)row * part->count + within / part->step;
			return part;
		}
	}
	return NULL;
}

static int is_there(int rank, int process)
{
	int64_t m;

	for (int thread = 0; thread < THREADS; thread++)
		if (part_of(rank, process, thread, &m))
			return 1;
	return 0;
}

//@ thread: crew think
struct thread { struct task task; const struct part *part; int place; };

static void *run(void *of)
{
	struct thread *thread = of;
	struct timespec moment = { 0, 200000 };

	/* Threads are numbered by their first calls. */
	while (__atomic_load_n(&begun, __ATOMIC_ACQUIRE) < thread->place)
		nanosleep(&moment, NULL);
	think(&thread->task, 0);
	thread->part->run(&thread->task);
	begins(&thread->task);
	return NULL;
}

/* Runs all threads of one process, the first in this one. */
static void perform(int rank, int process, int64_t epoch)
{
	static struct thread all[THREADS];
	pthread_t made[THREADS];
	int64_t start = 0, m;
	int many = 0;

	for (int at = 0; at < THREADS; at++) {
		const struct part *part = part_of(rank, process, at, &m);

		if (!part)
			continue;
		if (MPI_STARTS && many == 0)
			start = part->start;
		all[many].part = part;
		all[many].place = many;
		all[many].task.m = m;
		all[many].task.rank = rank;
		all[many].task.due = all[many].task.began = epoch + part->start - start;
		many++;
	}
	for (int at = 1; at < many; at++)
		if (pthread_create(&made[at], NULL, run, &all[at]) != 0)
			exit(1);
	if (many > 0)
		run(&all[0]);
	for (int at = 1; at < many; at++)
		pthread_join(made[at], NULL);
}

/* What is to be said at the end of a process. */
static int done(void)
{
	if (wrong > 0)
		fprintf(stderr, "%lu calls returned something else than in the trace\n", wrong);
	return wrong > 0;
}

//@ begin_root: stage
static int removes;

/* Reads the options; the root is left in `root`. */
static int options(int argc, char **argv)
{
	int at = 1;

	for (; at < argc && argv[at][0] == '-'; at++) {
		if (strcmp(argv[at], "-f") == 0)
			fast = 1;
		else if (strcmp(argv[at], "-r") == 0)
			removes = 1;
		else
			break;
	}
	if (at + 1 == argc && strlen(argv[at]) < sizeof(root)) {
		strcpy(root, argv[at]);
		return 0;
	}
	fprintf(stderr, "usage: %s [-f] [-r] ROOT\n  -f  omit pauses\n  -r  remove what was created\n", argv[0]);
	return -1;
}

/* Opens the folder below which everything happens. */
static int enter(int make)
{
	char whole[PATH_MAX];

	if (make)
		direct(SYS_mkdirat, AT_FDCWD, (long)root, 0777, 0);
	if (!realpath(root, whole)) {
		fprintf(stderr, "%s: %s\n", root, strerror(errno));
		return -1;
	}
	strcpy(root, whole);
	root_fd = (int)direct(SYS_openat, AT_FDCWD, (long)root, FOLDER, 0);
	return root_fd < 0 ? -1 : 0;
}

//@ forks: thread
/* Starts a process for a rank, after others that were started before. Processes are numbered by their first calls, so
   each waits for the others to have made theirs, though not for ever. */
static int forked(int rank, int process, int64_t epoch, int others)
{
	struct timespec moment = { 0, 50000 };
	pid_t child = fork();

	if (child == 0) {
		int64_t since = now();

		while (__atomic_load_n(running, __ATOMIC_ACQUIRE) < others && now() - since < INT64_C(5000000000))
			nanosleep(&moment, NULL);
		perform(rank, process, epoch);
		exit(done());
	}
	return child < 0;
}

//@ main_forks: begin_root forks
int main(int argc, char **argv)
{
	int failed = 0, status, many = 0;
	int64_t epoch;

	if (options(argc, argv) < 0)
		return 2;
	if (enter(1) < 0 || stage(LOOK) < 0 || stage(MAKE) < 0)
		return 1;
	for (int rank = 0; rank < RANKS; rank++)
		for (int process = 0; process < PROCESSES; process++)
			many += is_there(rank, process);
	crowd = many > 1 || THREADS > 1;
	epoch = now();
	if (many < 2) {
		for (int rank = 0; rank < RANKS; rank++)
			for (int process = 0; process < PROCESSES; process++)
				perform(rank, process, epoch);
		failed = done();
	} else {
		int others = 0;

		running = mmap(NULL, sizeof(int), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
		for (int rank = 0; rank < RANKS; rank++)
			for (int process = 0; process < PROCESSES && running != MAP_FAILED; process++)
				if (is_there(rank, process))
					failed |= forked(rank, process, epoch, others++);
		while (wait(&status) > 0)
			failed |= status != 0;
	}
	if (removes)
		stage(CLEAN);
	return failed;
}

//@ main_mpi: begin_root thread mpi
int main(int argc, char **argv)
{
	int failed, status, rank, size, given, ended = 0, good = 1;
	struct task first = { 0 };

	if (options(argc, argv) < 0)
		return 2;
	first.began = now();
	check(&first, "MPI_Init", said(MPI_STARTS == 2
		? MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &given) : MPI_Init(&argc, &argv)), 0);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	if (size != RANKS) {
		if (rank == 0)
			fprintf(stderr, "the trace has %d ranks: run this with mpirun -n %d\n", RANKS, RANKS);
		MPI_Abort(MPI_COMM_WORLD, 2);
	}
	/* The others go on when rank 0 has prepared the files; a broadcast is no call of the trace. */
	if (rank == 0)
		good = enter(1) == 0 && stage(LOOK) == 0 && stage(MAKE) == 0;
	MPI_Bcast(&good, 1, MPI_INT, 0, MPI_COMM_WORLD);
	if (!good || (rank > 0 && enter(0) < 0))
		MPI_Abort(MPI_COMM_WORLD, 1);
	crowd = 1;
	begun = 0;
	for (int process = 0; process < PROCESSES; process++)
		if (process != MPI_PROCESS && is_there(rank, process) && fork() == 0) {
			perform(rank, process, now());
			exit(done());
		}
	perform(rank, MPI_PROCESS, now());
	failed = done();
	while (wait(&status) > 0)
		failed |= status != 0;
	MPI_Finalized(&ended);
	if (!ended)
		MPI_Finalize();
	if (removes && rank == 0)
		stage(CLEAN);
	return failed;
}
