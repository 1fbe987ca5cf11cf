#include "ode.h"
#include "trial.h"

#include <cvode/cvode.h>
#include <nvector/nvector_serial.h>
#include <stdlib.h>
#include <string.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

struct ode {
    int n;
    ode_rhs *rhs;
    ode_event *event;
    const void *context;
    double t;
    SUNContext sundials;
    void *cvode;
    N_Vector y;
    SUNMatrix A;
    SUNLinearSolver solver;
};

static int call_rhs(realtype t, N_Vector y, N_Vector dy, void *data) {
    const ode *phase = data;
    phase->rhs(t, NV_DATA_S(y), NV_DATA_S(dy), phase->context);
    return 0;
}

static int call_event(realtype t, N_Vector y, realtype *value, void *data) {
    const ode *phase = data;
    *value = phase->event(t, NV_DATA_S(y), phase->context);
    return 0;
}

ode *ode_open(int n, ode_rhs *rhs, ode_event *event, const void *context, double t0, const double *y0) {
    ode *phase = calloc(1, sizeof *phase);
    assert_non_null(phase);
    *phase = (ode){.n = n, .rhs = rhs, .event = event, .context = context, .t = t0};
    assert_int_equal(SUNContext_Create(NULL, &phase->sundials), 0);
    phase->y = N_VNew_Serial(n, phase->sundials);
    memcpy(NV_DATA_S(phase->y), y0, (size_t)n * sizeof *y0);
    phase->A = SUNDenseMatrix(n, n, phase->sundials);
    phase->solver = SUNLinSol_Dense(phase->y, phase->A, phase->sundials);
    phase->cvode = CVodeCreate(CV_ADAMS, phase->sundials);
    assert_int_equal(CVodeInit(phase->cvode, call_rhs, t0, phase->y), CV_SUCCESS);
    assert_int_equal(CVodeSetUserData(phase->cvode, phase), CV_SUCCESS);
    assert_int_equal(CVodeSStolerances(phase->cvode, 1e-13, 1e-14), CV_SUCCESS);
    assert_int_equal(CVodeSetMaxNumSteps(phase->cvode, 1000000), CV_SUCCESS);
    assert_int_equal(CVodeSetLinearSolver(phase->cvode, phase->solver, phase->A), CV_SUCCESS);
    if (event) assert_int_equal(CVodeRootInit(phase->cvode, 1, call_event), CV_SUCCESS);
    return phase;
}

bool ode_advance(ode *phase, double until, double *t, double *y) {
    int flag = CV_SUCCESS;
    if (until > phase->t) {
        assert_int_equal(CVodeSetStopTime(phase->cvode, until), CV_SUCCESS);
        flag = CVode(phase->cvode, until, phase->y, &phase->t, CV_NORMAL);
        if (flag < 0) fail_msg("CVODE: %s", CVodeGetReturnFlagName(flag));
    }
    *t = phase->t;
    memcpy(y, NV_DATA_S(phase->y), (size_t)phase->n * sizeof *y);
    return flag == CV_ROOT_RETURN;
}

void ode_close(ode *phase) {
    CVodeFree(&phase->cvode);
    SUNLinSolFree(phase->solver);
    SUNMatDestroy(phase->A);
    N_VDestroy(phase->y);
    SUNContext_Free(&phase->sundials);
    free(phase);
}

void ode_solve(int n, ode_rhs *rhs, const void *context, double t0, double until, double *y) {
    ode *phase = ode_open(n, rhs, NULL, context, t0, y);
    double t;
    ode_advance(phase, until, &t, y);
    ode_close(phase);
}
