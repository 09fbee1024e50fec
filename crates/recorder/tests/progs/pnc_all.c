// Variables of PnetCDF by every way to say which part: var, var1, vara, vars, varm, varn, vard, with
// typed and flexible forms, collective, independent and nonblocking. usage: pnc_all FILE
#include <mpi.h>
#include <pnetcdf.h>
#include <stdio.h>
#include <string.h>

#define OK(x) do { int e_ = (x); if (e_ != NC_NOERR) { printf("line %d: %s\n", __LINE__, ncmpi_strerror(e_)); bad = 1; } } while (0)

int main(int argc, char **argv) {
    int rank, size, nc, dims[2], v, w, i, request[4], status[4], bad = 0, sum = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    OK(ncmpi_create(MPI_COMM_WORLD, argv[1], NC_CLOBBER, MPI_INFO_NULL, &nc));
    OK(ncmpi_def_dim(nc, "y", 4 * size, &dims[0]));
    OK(ncmpi_def_dim(nc, "x", 8, &dims[1]));
    OK(ncmpi_def_var(nc, "v", NC_INT, 2, dims, &v));
    OK(ncmpi_def_var(nc, "w", NC_DOUBLE, 2, dims, &w));
    OK(ncmpi_enddef(nc));
    int out[32], in[32];
    double d[32];
    for (i = 0; i < 32; i++) out[i] = 100 * rank + i, d[i] = out[i], in[i] = 0;
    MPI_Offset start[2] = {4 * rank, 0}, count[2] = {4, 8}, stride[2] = {2, 2}, half[2] = {2, 4}, map[2] = {4, 1}, one[2] = {1, 8};
    MPI_Offset first[2] = {4 * rank, 0}, second[2] = {4 * rank + 2, 0};
    MPI_Offset *starts[2] = {first, second}, *counts[2] = {one, one};
    MPI_Datatype part;
    OK(ncmpi_put_vara_int_all(nc, v, start, count, out));                                // 5 arguments
    OK(ncmpi_put_vara_all(nc, w, start, count, d, 32, MPI_DOUBLE));                      // 7
    OK(ncmpi_put_vars_all(nc, v, start, half, stride, out, 8, MPI_INT));                 // 8
    OK(ncmpi_put_varm_int_all(nc, v, start, half, stride, map, out));                    // 7
    OK(ncmpi_put_varm_all(nc, v, start, half, stride, map, out, 8, MPI_INT));            // 9
    OK(ncmpi_put_varn_int_all(nc, v, 2, starts, counts, out));                           // 6
    OK(ncmpi_put_varn_all(nc, v, 2, starts, counts, out, 16, MPI_INT));                  // 8
    OK(ncmpi_iput_varm(nc, v, start, half, stride, map, out, 8, MPI_INT, &request[0]));  // 10
    OK(ncmpi_iput_varn(nc, v, 2, starts, counts, out, 16, MPI_INT, &request[1]));        // 9
    OK(ncmpi_iput_vara_int(nc, v, start, count, out, &request[2]));                      // 6
    OK(ncmpi_wait_all(nc, 3, request, status));
    OK(ncmpi_get_vara_int_all(nc, v, start, count, in));
    for (i = 0; i < 32; i++) sum += in[i];
    OK(ncmpi_iget_varm_int(nc, v, start, half, stride, map, in, &request[0]));           // 8
    OK(ncmpi_wait_all(nc, 1, request, status));
    for (i = 0; i < 8; i++) sum += in[i];
    OK(ncmpi_buffer_attach(nc, 4096));
    OK(ncmpi_bput_vara_int(nc, v, start, count, out, &request[0]));
    OK(ncmpi_wait_all(nc, 1, request, status));
    OK(ncmpi_buffer_detach(nc));
    OK(ncmpi_begin_indep_data(nc));
    OK(ncmpi_put_var1_int(nc, v, start, out));
    OK(ncmpi_get_var1_int(nc, v, start, in));
    OK(ncmpi_end_indep_data(nc));
    OK(ncmpi_sync(nc));
    MPI_Type_contiguous(32, MPI_INT, &part);
    MPI_Type_commit(&part);
    OK(ncmpi_get_vard_all(nc, v, part, in, 32, MPI_INT));
    MPI_Type_free(&part);
    int all[4 * 8 * 64];
    OK(ncmpi_get_var_int_all(nc, v, all));
    sum += all[8];
    OK(ncmpi_redef(nc));
    OK(ncmpi_enddef(nc));
    i = ncmpi_inq_varid(nc, "none", &v);
    printf("rank %d of %d sum %d error %d bad %d\n", rank, size, sum, i, bad);
    OK(ncmpi_close(nc));
    MPI_Finalize();
    return bad;
}
