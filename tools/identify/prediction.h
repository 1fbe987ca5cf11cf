/* What a scene predicts for the measurements, and how the predictions change with the unknowns. */
#ifndef CAROM_PREDICTION_H
#define CAROM_PREDICTION_H

#include "identify/records.h"

/* Unknowns: those that all records have in common, then those of each record in turn. */
typedef struct identify_question {
    const carom_scene *scene;
    const records *data;
    const char *const *by; /* [own] names: parameters and components of the start */
    int own, common;       /* the first of them are common to all records */
} identify_question;

static inline int identify_unknowns(const identify_question *q) {
    return q->common + (q->own - q->common) * q->data->count;
}
/* The index of the unknown that has index k in this record. */
static inline int identify_unknown(const identify_question *q, int record, int k) {
    return k < q->common ? k : q->common + record * (q->own - q->common) + k - q->common;
}

typedef struct predictor predictor;

carom_status predictor_create(const identify_question *q, predictor **made, carom_error *error);
void predictor_destroy(predictor *p);

/* One run for each record: predictions [measurements] and their derivatives, by[unknown][measurement]. CAROM_DATA,
 * CAROM_FAILED: there are none, and error says why. */
carom_status predictor_run(predictor *p, const double *unknown, double *prediction, double *by, carom_error *error);
bool predictor_locates(const predictor *p);
/* Of the last run: the time between each measurement and the event next to it; infinite for times of events. */
const double *predictor_nearness(const predictor *p);

/* The same runs once more for a picture: called at the start and after every step with the measured columns. */
typedef bool (*predictor_watch)(void *context, int record, double t, const double *values);
carom_status predictor_trace(predictor *p, const double *unknown, predictor_watch watch, void *context,
                             carom_error *error);

#endif
