// A second preloaded tool that wraps MPI by its profiling names; its hooks must still run.
#include <mpi.h>
#include <stdio.h>

static int opens, writes;

int MPI_File_open(MPI_Comm comm, const char *name, int mode, MPI_Info info, MPI_File *f) {
    opens++;
    return PMPI_File_open(comm, name, mode, info, f);
}

int MPI_File_write_at(MPI_File f, MPI_Offset at, const void *data, int count, MPI_Datatype type, MPI_Status *status) {
    writes++;
    return PMPI_File_write_at(f, at, data, count, type, status);
}

int MPI_Finalize(void) {
    printf("tool saw %d opens %d writes\n", opens, writes);
    return PMPI_Finalize();
}
