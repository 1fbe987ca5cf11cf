/* Clouds of boxes along the axes, of sizes from equal to a thousandfold, crowded and sparse, far from the origin too:
 * the grid finds exactly the pairs that overlap, in order, each once. */
#include "support/campaign.h"

#include <math.h>
#include <stdlib.h>

#include "model/found/grid.h"

enum { CLOUDS, BOXES, PAIRS };
enum { MOST = 120 };

static bool overlap(const grid_box *a, const grid_box *b) {
    for (int k = 0; k < 3; k++)
        if (a->low[k] > b->high[k] || b->low[k] > a->high[k]) return false;
    return true;
}

static grid_box random_box(uint64_t *state, double spread, double largest, double decades, double far) {
    grid_box b;
    const double size = largest * pow(10, -decades * campaign_random(state));
    for (int k = 0; k < 3; k++) {
        const double middle = far + campaign_between(state, -spread, spread), half = size * campaign_random(state) / 2;
        b.low[k] = middle - half, b.high[k] = middle + half;
    }
    return b;
}

static void judge(uint64_t number, campaign_case *c) {
    uint64_t state = number;
    grid_box box[MOST];
    const int n = 2 + (int)(campaign_random(&state) * (MOST - 2));
    const double spread = pow(10, campaign_between(&state, -1, 1)), far = campaign_random(&state) < 0.2 ? 1e5 : 0;
    const double largest = pow(10, campaign_between(&state, -2, 1)), decades = campaign_between(&state, 0, 3);
    for (int i = 0; i < n; i++) box[i] = random_box(&state, spread, largest, decades, far);
    grid *g = grid_create(n);
    const grid_pair *pair = NULL;
    const int count = g ? grid_pairs(g, box, &pair) : -1;
    int next = 0;
    for (int a = 0; a < n && count >= 0; a++)
        for (int b = a + 1; b < n; b++) {
            const bool found = next < count && pair[next].a == a && pair[next].b == b;
            if (overlap(&box[a], &box[b]) != found)
                campaign_violation(c, "boxes %d and %d of %d %s\n", a, b, n, found ? "do not overlap" : "are missed");
            next += found;
        }
    if (next != count) campaign_violation(c, "%d pairs are found, %d are\n", count, next);
    c->count[CLOUDS] = 1, c->count[BOXES] = n, c->count[PAIRS] = count;
    grid_destroy(g);
}

int main(int argc, char **argv) {
    const campaign clouds = {
        .cases = "clouds", .few = 300, .patience = 10, .count = {"clouds", "boxes", "pairs"}, .judge = judge};
    return campaign_main(&clouds, argc, argv);
}
