/* A datatype describes all pieces at once; one collective call moves them. */
MPI_Datatype piece;
int whole[2] = {rows, columns}, part[2] = {my_rows, my_columns}, at[2] = {first_row, first_column};
MPI_Type_create_subarray(2, whole, part, at, MPI_ORDER_C, MPI_DOUBLE, &piece);
MPI_Type_commit(&piece);
MPI_File_set_view(file, 0, MPI_DOUBLE, piece, "native", MPI_INFO_NULL);
MPI_File_write_all(file, values, my_rows * my_columns, MPI_DOUBLE, MPI_STATUS_IGNORE);
