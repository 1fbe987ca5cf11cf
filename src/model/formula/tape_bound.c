/* The interpreter of tapes in jets: ranges of values and rates along a curve (F19). */
#include "tape_code.h"

/* x*y, with the same register twice a square */
static jet product(const jet *r, uint32_t x, uint32_t y) {
    if (y == ONE) return r[x];
    if (x == ONE) return r[y];
    return x == y ? jet_square(&r[x]) : jet_product(&r[x], &r[y]);
}

static jet sum_of_products(const instruction *i, const jet *r) {
    bool first = i->a != ZERO && i->b != ZERO, second = i->c != ZERO && i->d != ZERO;
    jet x = first ? product(r, i->a, i->b) : r[ZERO];
    if (!second) return x;
    jet y = product(r, i->c, i->d);
    if (i->code == MINUS) return jet_difference(&x, &y);
    return first ? jet_sum(&x, &y) : y;
}

/* Which table, and which column, are numbers. */
static jet of_table(const tape *t, const instruction *i, const jet *r) {
    const int which = (int)lround((r[i->b].v.least + r[i->b].v.most) / 2);
    const carom_range x = r[i->a].v;
    carom_range slope;
    if (i->code == OP_ENTRY) {
        const carom_range y = knots_entry_range(t->tables[which / KNOT_COLUMNS], x, which % KNOT_COLUMNS);
        return jet_made(y, y.least == y.most ? range_still : RANGE_ALL, r[i->a].partial);
    }
    const carom_range place = knots_place_range(t->tables[which], x, &slope);
    return jet_made(place, range_multiply(slope, r[i->a].r), r[i->a].partial);
}

static void load(const tape *t, const double *image, const tape_ranges blocks[TAPE_BLOCKS], jet *r) {
    for (int k = 0; k < t->image_size; k++) r[k] = jet_number(image[k]);
    for (int k = 0; k < TAPE_BLOCKS; k++)
        for (int i = 0; i < t->input[k].count; i++) {
            int from = t->input[k].from + i;
            r[t->input[k].to + i] =
                jet_symbol(blocks[k].value[from], blocks[k].rate ? blocks[k].rate[from] : range_still);
        }
}

void tape_bound(const tape *t, const double *image, const tape_ranges blocks[TAPE_BLOCKS], const int *side, jet *work,
                carom_range *value, carom_range *rate) {
    jet *const r = work;
    load(t, image, blocks, r);
    for (const instruction *i = t->code, *end = i + t->length; i < end; i++) {
        if (i->code <= MINUS) r[i->to] = sum_of_products(i, r);
        else if (i->code == SINCOS) {
            const jet a = r[i->a];
            jet_sincos(&a, &r[i->to], &r[i->d]);
        } else if (i->code == OP_PLACE || i->code == OP_ENTRY) r[i->to] = of_table(t, i, r);
        else if (side && i->d) r[i->to] = jet_on_side((op)i->code, &r[i->a], &r[i->b], held_side(i, side));
        else r[i->to] = jet_operation((op)i->code, &r[i->a], &r[i->b], &r[i->c]);
    }
    for (int k = 0; k < t->result[0].count; k++) {
        if (value) value[k] = r[t->result[0].from + k].v;
        if (rate) rate[k] = r[t->result[0].from + k].r;
    }
}
