! openmp: gfortran's use of the OpenMP runtime.
program openmp
	use omp_lib
	implicit none
	integer :: i, r
	integer(8) :: total, locked, chain
	integer(omp_lock_kind) :: lock

	call omp_init_lock(lock)
	total = 0
	locked = 0
	chain = 1
	do r = 1, 200
		!$omp parallel do schedule(dynamic) reduction(+:total)
		do i = 1, 100
			total = total + mod(i * r, 17)
		end do
		!$omp end parallel do
		!$omp parallel do ordered private(i)
		do i = 1, 20
			call omp_set_lock(lock)
			locked = locked + i
			call omp_unset_lock(lock)
			!$omp ordered
			chain = mod(chain * 31 + i, 1000003_8)
			!$omp end ordered
		end do
		!$omp end parallel do
		!$omp parallel
		!$omp single
		do i = 1, 10
			!$omp task firstprivate(i)
			!$omp atomic
			total = total + i
			!$omp end task
		end do
		!$omp end single
		!$omp workshare
		locked = locked + 1
		!$omp end workshare
		!$omp end parallel
	end do
	call omp_destroy_lock(lock)
	print '(3i12)', total, locked, chain
end program
