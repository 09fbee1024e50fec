! Open, write, view, read, close through the module of MPI-3.
program new
  use mpi_f08
  implicit none
  integer :: ierr, rank
  type(MPI_File) :: f
  type(MPI_Datatype) :: t
  type(MPI_Status) :: status
  type(MPI_Request) :: request
  integer(kind=MPI_OFFSET_KIND) :: at
  integer :: values(8), back(8)
  character(len=256) :: name
  call get_command_argument(1, name)
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  values = rank
  at = rank * 32
  call MPI_File_open(MPI_COMM_WORLD, trim(name), MPI_MODE_CREATE + MPI_MODE_RDWR, MPI_INFO_NULL, f, ierr)
  call MPI_File_write_at(f, at, values, 8, MPI_INTEGER, MPI_STATUS_IGNORE, ierr)
  call MPI_File_write_at_all(f, at, values, 8, MPI_INTEGER, status, ierr)
  call MPI_File_read_at(f, at, back, 8, MPI_INTEGER, status, ierr)
  call MPI_File_iwrite_at(f, at, values, 8, MPI_INTEGER, request, ierr)
  call MPI_Wait(request, status, ierr)
  call MPI_Type_contiguous(2, MPI_INTEGER, t, ierr)
  call MPI_Type_commit(t, ierr)
  call MPI_File_set_view(f, at, MPI_INTEGER, t, 'native', MPI_INFO_NULL, ierr)
  call MPI_File_write_all(f, values, 4, t, status, ierr)
  call MPI_Type_free(t, ierr)
  call MPI_Barrier(MPI_COMM_WORLD, ierr)
  call MPI_File_close(f, ierr)
  print '(a,i0,a,i0)', 'rank ', rank, ' read ', sum(back)
  call MPI_Finalize(ierr)
end program
