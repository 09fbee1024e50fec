/* Where a stream must stay: a buffer of 4 MiB, set before the first access. */
FILE *stream = fopen("output.txt", "w");
setvbuf(stream, NULL, _IOFBF, 4 << 20);
