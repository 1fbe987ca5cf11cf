! x'' + x'/4 - x + x^3 = F cos(t) for AUTO-07p, which wants autonomous equations: the force is a second oscillator with the limit
! cycle (sin, cos). U = (x, x', sin, cos); PAR(1) = F, PAR(11) = the period.
SUBROUTINE FUNC(NDIM, U, ICP, PAR, IJAC, F, DFDU, DFDP)
  IMPLICIT NONE
  INTEGER, INTENT(IN) :: NDIM, ICP(*), IJAC
  DOUBLE PRECISION, INTENT(IN) :: U(NDIM), PAR(*)
  DOUBLE PRECISION, INTENT(OUT) :: F(NDIM)
  DOUBLE PRECISION, INTENT(INOUT) :: DFDU(NDIM, *), DFDP(NDIM, *)
  DOUBLE PRECISION :: inside
  inside = 1 - U(3)**2 - U(4)**2
  F = (/ U(2), PAR(1)*U(4) - U(2)/4 + U(1) - U(1)**3, inside*U(3) + U(4), inside*U(4) - U(3) /)
END SUBROUTINE

! The well without a force.
SUBROUTINE STPNT(NDIM, U, PAR, T)
  IMPLICIT NONE
  INTEGER, INTENT(IN) :: NDIM
  DOUBLE PRECISION, INTENT(INOUT) :: U(NDIM), PAR(*)
  DOUBLE PRECISION, INTENT(IN) :: T
  DOUBLE PRECISION, PARAMETER :: period = 6.28318530717958647692d0
  PAR(1) = 0
  PAR(11) = period
  U = (/ 1d0, 0d0, SIN(period*T), COS(period*T) /)
END SUBROUTINE

SUBROUTINE BCND
END SUBROUTINE
SUBROUTINE ICND
END SUBROUTINE
SUBROUTINE FOPT
END SUBROUTINE
SUBROUTINE PVLS
END SUBROUTINE
