/* Every process reads its part of one shared file; the library joins the requests. */
MPI_File file;
MPI_File_open(MPI_COMM_WORLD, "input.dat", MPI_MODE_RDONLY, info, &file);
MPI_Offset place = (MPI_Offset)rank * count * sizeof(double);
MPI_File_read_at_all(file, place, values, count, MPI_DOUBLE, MPI_STATUS_IGNORE);
MPI_File_close(&file);
