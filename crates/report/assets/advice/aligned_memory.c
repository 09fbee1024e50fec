/* Memory that begins at a page. */
void *block;
posix_memalign(&block, 4096, 4 << 20);
