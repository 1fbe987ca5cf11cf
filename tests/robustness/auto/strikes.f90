! A flight of the oscillator x'' + 2 d x' + x = F cos(w t) from the wall at 1 back to it, in one period 2 pi/w, for AUTO-07p:
! a boundary value problem, with the derivative of the flow beside it. U = (x, x', derivatives of both by x and by x' at the start,
! part of the period); PAR = (w, phase of the strike, F, d, e, trace and determinant of the map from strike to strike, and what is zero
! where this map has the multiplier 1, and -1).
SUBROUTINE FUNC(NDIM, U, ICP, PAR, IJAC, F, DFDU, DFDP)
  IMPLICIT NONE
  INTEGER, INTENT(IN) :: NDIM, ICP(*), IJAC
  DOUBLE PRECISION, INTENT(IN) :: U(NDIM), PAR(*)
  DOUBLE PRECISION, INTENT(OUT) :: F(NDIM)
  DOUBLE PRECISION, INTENT(INOUT) :: DFDU(NDIM, *), DFDP(NDIM, *)
  DOUBLE PRECISION, PARAMETER :: turn = 6.28318530717958647692d0
  F(1) = U(2)
  F(2) = PAR(3)*COS(turn*U(7) + PAR(2)) - 2*PAR(4)*U(2) - U(1)
  F(3:4) = U(5:6)
  F(5:6) = -2*PAR(4)*U(5:6) - U(3:4)
  F(1:6) = turn/PAR(1)*F(1:6)
  F(7) = 1
END SUBROUTINE

! A guess, by Heun's method from where such a motion starts.
SUBROUTINE STPNT(NDIM, U, PAR, T)
  IMPLICIT NONE
  INTEGER, INTENT(IN) :: NDIM
  DOUBLE PRECISION, INTENT(INOUT) :: U(NDIM), PAR(*)
  DOUBLE PRECISION, INTENT(IN) :: T
  INTEGER, PARAMETER :: steps = 400
  DOUBLE PRECISION :: a(7), b(7), none(7, 1)
  INTEGER :: i, free(1)
  PAR(1:5) = (/ 0.7d0, 6.2622d0, 0.6d0, 0.1d0, 0.8d0 /)
  U = (/ 1d0, -0.3772d0, 1d0, 0d0, 0d0, 1d0, 0d0 /)
  DO i = 1, steps
    CALL FUNC(7, U, free, PAR, 0, a, none, none)
    CALL FUNC(7, U + T/steps*a, free, PAR, 0, b, none, none)
    U = U + T/steps*(a + b)/2
  END DO
END SUBROUTINE

SUBROUTINE BCND(NDIM, PAR, ICP, NBC, U0, U1, FB, IJAC, DBC)
  IMPLICIT NONE
  INTEGER, INTENT(IN) :: NDIM, ICP(*), NBC, IJAC
  DOUBLE PRECISION, INTENT(IN) :: PAR(*), U0(NDIM), U1(NDIM)
  DOUBLE PRECISION, INTENT(OUT) :: FB(NBC)
  DOUBLE PRECISION, INTENT(INOUT) :: DBC(NBC, *)
  FB = (/ U0(1) - 1, U1(1) - 1, U0(2) + PAR(5)*U1(2), U0(3) - 1, U0(4), U0(5), U0(6) - 1, U0(7) /)
END SUBROUTINE

SUBROUTINE ICND
END SUBROUTINE
SUBROUTINE FOPT
END SUBROUTINE

! Strikes at the speed v change deviations by the matrix ((-e, 0), (turn, -e)), turn = (a+ + e a-)/v, accelerations a.
SUBROUTINE PVLS(NDIM, U, PAR)
  IMPLICIT NONE
  INTEGER, INTENT(IN) :: NDIM
  DOUBLE PRECISION, INTENT(IN) :: U(NDIM)
  DOUBLE PRECISION, INTENT(INOUT) :: PAR(*)
  DOUBLE PRECISION, EXTERNAL :: GETP
  DOUBLE PRECISION :: v, e, turn, flow(3:6)
  INTEGER :: i
  v = GETP('BV1', 2, U)
  e = PAR(5)
  DO i = 3, 6
    flow(i) = GETP('BV1', i, U)
  END DO
  turn = (1 + e)*(PAR(3)*COS(PAR(2)) - 1)/v
  PAR(6) = -e*flow(3) + turn*flow(4) - e*flow(6)
  PAR(7) = e**2*(flow(3)*flow(6) - flow(4)*flow(5))
  PAR(8) = 1 - PAR(6) + PAR(7)
  PAR(9) = 1 + PAR(6) + PAR(7)
END SUBROUTINE
