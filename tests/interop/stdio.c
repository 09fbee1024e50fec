/* One of each call on streams, for the comparison of counters. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(void)
{
    char buffer[4096];
    int number;
    memset(buffer, 'a', sizeof buffer);
    FILE *file = fopen("stream.txt", "w+");
    for (int i = 0; i < 100; i++)
        fprintf(file, "line %d\n", i);
    fputs("text\n", file);
    fputc('c', file);
    fwrite(buffer, 16, 10, file);
    fflush(file);
    fseek(file, 10, SEEK_SET);
    fwrite(buffer, 1, 5, file);
    rewind(file);
    fread(buffer, 1, 20, file);
    fgetc(file);
    fgets(buffer, 50, file);
    fseek(file, 0, SEEK_SET);
    fscanf(file, "line %d", &number);
    fseek(file, -5, SEEK_END);
    fread(buffer, 1, 100, file);
    fclose(file);
    file = fopen("stream.txt", "a");
    fprintf(file, "more\n");
    fclose(file);
    file = fopen("stream.txt", "r");
    file = freopen("other.txt", "w", file);
    fprintf(file, "x");
    fclose(file);
    if (fopen("missing.txt", "r") != NULL)
        return 1;
    printf("done %d\n", number);
    return 0;
}
