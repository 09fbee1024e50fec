/* Functions with a variable number of arguments: each passes its list on to the hook of the
 * function that takes a list, together with its own return address. */
#include <stdarg.h>
#include <stdio.h>

#define HERE __builtin_return_address(0)

int marigraph_vfprintf(FILE *, const char *, va_list, void *);
int marigraph_vfprintf_chk(FILE *, int, const char *, va_list, void *);
int marigraph_vprintf(const char *, va_list, void *);
int marigraph_vprintf_chk(int, const char *, va_list, void *);
int marigraph_vfscanf(FILE *, const char *, va_list, void *);
int marigraph_isoc99_vfscanf(FILE *, const char *, va_list, void *);
int marigraph_isoc23_vfscanf(FILE *, const char *, va_list, void *);
int marigraph_vdprintf(int, const char *, va_list, void *);
int marigraph_vdprintf_chk(int, int, const char *, va_list, void *);

#define PASS_ON(call)                                                                              \
    va_list list;                                                                                  \
    va_start(list, format);                                                                        \
    int result = call;                                                                             \
    va_end(list);                                                                                  \
    return result

int marigraph_fprintf(FILE *stream, const char *format, ...)
{
    PASS_ON(marigraph_vfprintf(stream, format, list, HERE));
}

int marigraph_fprintf_chk(FILE *stream, int flag, const char *format, ...)
{
    PASS_ON(marigraph_vfprintf_chk(stream, flag, format, list, HERE));
}

int marigraph_printf(const char *format, ...)
{
    PASS_ON(marigraph_vprintf(format, list, HERE));
}

int marigraph_printf_chk(int flag, const char *format, ...)
{
    PASS_ON(marigraph_vprintf_chk(flag, format, list, HERE));
}

int marigraph_fscanf(FILE *stream, const char *format, ...)
{
    PASS_ON(marigraph_vfscanf(stream, format, list, HERE));
}

int marigraph_isoc99_fscanf(FILE *stream, const char *format, ...)
{
    PASS_ON(marigraph_isoc99_vfscanf(stream, format, list, HERE));
}

int marigraph_isoc23_fscanf(FILE *stream, const char *format, ...)
{
    PASS_ON(marigraph_isoc23_vfscanf(stream, format, list, HERE));
}

int marigraph_dprintf(int fd, const char *format, ...)
{
    PASS_ON(marigraph_vdprintf(fd, format, list, HERE));
}

int marigraph_dprintf_chk(int fd, int flag, const char *format, ...)
{
    PASS_ON(marigraph_vdprintf_chk(fd, flag, format, list, HERE));
}
