//@ mode
/* The mode of fopen that flags of open mean. */
static const char *mode_of(int64_t flags)
{
	int both = (flags & O_ACCMODE) == O_RDWR;

	if (!(flags & O_CREAT))
		return both ? "r+" : "r";
	if (flags & O_APPEND)
		return both ? "a+" : "a";
	if (flags & O_EXCL)
		return both ? "w+x" : "wx";
	return both ? "w+" : "w";
}

//@ fopen: opening name mode
static void do_fopen(struct task *t, int64_t slot, const char *path, int64_t flags, int64_t ret)
{
	struct place at;
	int64_t got;

	if (!path)
		return;
	got = ready(path, flags & O_CREAT ? ret == -EEXIST : ret >= 0, &at);
	if (got == 0) {
		if (!spared(&at, NULL, opening((int)flags), ret, &got)) {
			FILE *stream = fopen(at.full, mode_of(flags));

			got = stream ? 0 : outcome(-1);
			if (stream)
				set(slot, (struct handle){ .kind = STREAM, .stream = stream });
		}
		leave(&at);
	}
	check(t, "fopen", got, ret);
}

//@ fdopen: mode take
static void do_fdopen(struct task *t, int64_t slot, int64_t below, int64_t flags, int64_t ret)
{
	struct handle handle = take(below);
	FILE *stream;

	if (handle.kind != DESCRIPTOR)
		return;
	stream = fdopen(handle.fd, mode_of(flags));
	check(t, "fdopen", stream ? 0 : outcome(-1), ret);
	set(below, (struct handle){ .kind = stream ? BELOW : DESCRIPTOR, .fd = handle.fd });
	if (stream)
		set(slot, (struct handle){ .kind = STREAM, .stream = stream });
}

//@ fileno: get
static void do_fileno(struct task *t, int64_t slot, int64_t above, int64_t ret)
{
	struct handle handle = get(above, STREAM);

	if (handle.kind != STREAM)
		return;
	handle.fd = fileno(handle.stream);
	unused();
	set(slot, (struct handle){ .kind = BELOW, .fd = handle.fd });
	check(t, "fileno", 0, ret);
}

//@ fclose: take
static void do_fclose(struct task *t, int64_t slot, int64_t ret)
{
	struct handle handle = take(slot);

	if (handle.kind == STREAM)
		check(t, "fclose", outcome(fclose(handle.stream)), ret);
}

//@ fflush: get
static void do_fflush(struct task *t, int64_t slot, int64_t ret)
{
	struct handle handle = get(slot, STREAM);

	if (handle.kind == STREAM)
		check(t, "fflush", outcome(fflush(handle.stream)), ret);
}

//@ fread: get room
static void do_fread(struct task *t, int64_t slot, int64_t len, int64_t item, int64_t ret)
{
	struct handle handle = get(slot, STREAM);

	if (handle.kind == STREAM && len >= 0 && len < 0x7ffff000)
		check(t, "fread", item < 1 ? 0
			: (int64_t)(fread(room(t, len), (size_t)item, (size_t)(len / item), handle.stream) * (size_t)item), ret);
	else
		unused();
}

//@ fwrite: get room
static void do_fwrite(struct task *t, int64_t slot, int64_t len, int64_t item, int64_t ret)
{
	struct handle handle = get(slot, STREAM);

	if (handle.kind == STREAM && len >= 0 && len < 0x7ffff000)
		check(t, "fwrite", item < 1 ? 0
			: (int64_t)(fwrite(room(t, len), (size_t)item, (size_t)(len / item), handle.stream) * (size_t)item), ret);
	else
		unused();
}

//@ taken: get room
/* What depends on the content of a file becomes a read of as many bytes. */
static void taken(struct task *t, const char *what, int64_t slot, int64_t ret)
{
	struct handle handle = get(slot, STREAM);
	int64_t len = ret < 0 ? 0 : ret;

	if (handle.kind == STREAM && len < 0x7ffff000)
		check(t, what, (int64_t)fread(room(t, len), 1, (size_t)len, handle.stream), ret);
	else
		unused();
}

//@ fgets: taken
static void do_fgets(struct task *t, int64_t slot, int64_t ret)
{
	taken(t, "fgets", slot, ret);
}

//@ getline: taken
static void do_getline(struct task *t, int64_t slot, int64_t ret)
{
	taken(t, "getline", slot, ret);
}

//@ fscanf: taken
static void do_fscanf(struct task *t, int64_t slot, int64_t ret)
{
	taken(t, "fscanf", slot, ret);
}

//@ text: handles room
/* A text of so many letters. */
static const char *text(struct task *t, int64_t len)
{
	char *to = room(t, len + 1);

	/* The memory repeats itself every 4 MiB, and a text ends at its first zero. */
	if (len < 0 || len >= 4 << 20)
		return NULL;
	memset(to, 'm', (size_t)len);
	to[len] = 0;
	return to;
}

//@ fputs: text get
static void do_fputs(struct task *t, int64_t slot, int64_t len, int64_t ret)
{
	struct handle handle = get(slot, STREAM);
	const char *put = text(t, len);

	if (handle.kind == STREAM && put)
		check(t, "fputs", fputs(put, handle.stream) < 0 ? outcome(-1) : len, ret);
	else
		unused();
}

//@ fprintf: text get
static void do_fprintf(struct task *t, int64_t slot, int64_t len, int64_t ret)
{
	/* A format that compilers know becomes another call. */
	static const char *volatile format = "%s";
	struct handle handle = get(slot, STREAM);
	const char *put = text(t, len);

	if (handle.kind == STREAM && put)
		check(t, "fprintf", outcome(fprintf(handle.stream, format, put)), ret);
	else
		unused();
}

//@ fgetc: get
static void do_fgetc(struct task *t, int64_t slot, int64_t ret)
{
	struct handle handle = get(slot, STREAM);

	if (handle.kind == STREAM)
		check(t, "fgetc", fgetc(handle.stream) >= 0, ret);
}

//@ fputc: get
static void do_fputc(struct task *t, int64_t slot, int64_t ret)
{
	struct handle handle = get(slot, STREAM);

	if (handle.kind == STREAM)
		check(t, "fputc", fputc('m', handle.stream) < 0 ? outcome(-1) : 1, ret);
}

//@ ungetc: get
static void do_ungetc(struct task *t, int64_t slot, int64_t ret)
{
	struct handle handle = get(slot, STREAM);

	if (handle.kind == STREAM)
		check(t, "ungetc", ungetc('m', handle.stream) < 0 ? outcome(-1) : 0, ret);
}

//@ fseek: get
static void do_fseek(struct task *t, int64_t slot, int64_t by, int64_t from, int64_t ret)
{
	struct handle handle = get(slot, STREAM);

	if (handle.kind == STREAM)
		check(t, "fseek", outcome(fseeko(handle.stream, by, (int)from)), ret);
}

//@ fsetpos: get
/* A saved position cannot be made out of nothing, but be moved to. */
static void do_fsetpos(struct task *t, int64_t slot, int64_t at, int64_t ret)
{
	struct handle handle = get(slot, STREAM);

	if (handle.kind == STREAM)
		check(t, "fsetpos", outcome(fseeko(handle.stream, at, SEEK_SET)), ret);
}

//@ rewind: get
static void do_rewind(struct task *t, int64_t slot, int64_t ret)
{
	struct handle handle = get(slot, STREAM);

	if (handle.kind == STREAM) {
		rewind(handle.stream);
		check(t, "rewind", 0, ret);
	}
}
