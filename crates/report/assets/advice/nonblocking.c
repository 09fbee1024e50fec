/* Compute while the data are on their way. */
MPI_Request request;
MPI_File_iwrite_at_all(file, place, values, count, MPI_DOUBLE, &request);
compute_next_step();                      /* must not touch values */
MPI_Wait(&request, MPI_STATUS_IGNORE);
