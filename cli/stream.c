#include "stream.h"

#include "progress.h"
#include "result/csv.h"

static const double PERIOD = 0.1; /* seconds from flush to flush */

static void separate(const stream *s, int i) {
    fputc(i + 1 < s->columns ? ',' : '\n', s->file);
}

carom_status stream_open(stream *s, const char *path, int columns, const char *const *names, carom_error *error) {
    *s = (stream){.path = path, .columns = columns};
    carom_status status = csv_open(path, &s->file, error);
    for (int i = 0; i < columns && !status; i++) {
        csv_text(s->file, names[i]);
        separate(s, i);
    }
    return status;
}

carom_status stream_row(stream *s, const double *row, carom_error *error) {
    for (int i = 0; i < s->columns; i++) {
        csv_number(s->file, row[i]);
        separate(s, i);
    }
    double now = seconds_now();
    if (now < s->flushed + PERIOD) return CAROM_OK;
    s->flushed = now;
    return fflush(s->file) || ferror(s->file) ? stream_close(s, CAROM_OK, error) : CAROM_OK;
}

carom_status stream_close(stream *s, carom_status status, carom_error *error) {
    if (s->file) status = csv_close(s->path, s->file, status, error);
    s->file = NULL;
    return status;
}
