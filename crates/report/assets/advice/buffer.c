/* Collect small pieces, write whole blocks. */
enum { BLOCK = 4 << 20 };
if (used + size > BLOCK) {
    write(file, block, used);
    used = 0;
}
memcpy(block + used, piece, size);
used += size;
