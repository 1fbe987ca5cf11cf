/* libFuzzer: any bytes as a formula of quantities, read alone and evaluated over two small tables. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "reproduce/measure.h"

static void require(bool condition) {
    if (!condition) abort();
}

static void fill(data *one, data *two) {
    for (int i = 0; i < 5; i++) {
        require(data_add(one, "t", i) && data_add(one, "x", i % 2 ? NAN : i - 2.5));
        require(data_add(one, "m[1,2].x", i * i) && data_add(two, "dt", 1.0 / (1 << i)));
    }
    for (int i = 0; i < 3; i++) require(data_add(one, "events.t", i / 2) && data_add(one, "events.PN", -i));
    require(data_add(two, "mu", 0.3));
    one->name = "one";
    two->name = "two";
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    static data one, two;
    if (!one.name) fill(&one, &two);
    char *text = malloc(size + 1);
    require(text);
    memcpy(text, bytes, size);
    text[size] = 0;
    int at, length = (int)strlen(text);
    carom_error error = {0};
    bool readable = !measure_check(text, &at, &error);
    require(at >= 0 && at <= length && (readable || error.message[0]));
    for (int home = -1; home < 2; home++) {
        measured m;
        carom_status status = measure(text, (const data *const[]){&one, &two}, 2, home, &m, &at, &error);
        require(at >= 0 && at <= length && (!status == (m.values != NULL)));
        require(readable || status);                                               /* what is evaluated can be read */
        for (long i = 0; i < m.count; i++) (void)*(volatile double *)&m.values[i]; /* each of them is there */
        free(m.values);
    }
    free(text);
    return 0;
}
