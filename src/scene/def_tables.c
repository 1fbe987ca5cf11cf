/* The fields of all definitions, by the keys of scenes. */
#include "def.h"

#include <stddef.h>

#define COUNT(T, f, of) (int)(sizeof((T *)0)->f / sizeof(of))
#define TEXTS(T, f)                                                                                                    \
    { .key = #f, .kind = DEF_TEXTS, .offset = offsetof(T, f), .count = COUNT(T, f, const char *) }
#define LIST(T, f, n)                                                                                                  \
    { .key = #f, .kind = DEF_LIST, .offset = offsetof(T, f), .count_offset = offsetof(T, n) }
#define POINTS(f, n)                                                                                                   \
    { .key = #f, .kind = DEF_POINTS, .offset = offsetof(T, f), .count_offset = offsetof(T, n) }
#define VALUES_AS(T, f, name)                                                                                          \
    { .key = name, .kind = DEF_VALUES, .offset = offsetof(T, f), .count = COUNT(T, f, carom_value) }
#define VALUES(T, f) VALUES_AS(T, f, #f)
#define ROWS_AS(T, f, name)                                                                                            \
    { .key = name, .kind = DEF_ROWS, .offset = offsetof(T, f), .count = COUNT(T, f, carom_value[3]) }
#define ROWS(T, f) ROWS_AS(T, f, #f)
#define TEXT_AS(T, f, name)                                                                                            \
    { .key = name, .kind = DEF_TEXT, .offset = offsetof(T, f) }
#define TEXT(T, f) TEXT_AS(T, f, #f)
#define FLAG(T, f)                                                                                                     \
    { .key = #f, .kind = DEF_FLAG, .offset = offsetof(T, f) }
#define PART_AS(T, f, t, name)                                                                                         \
    { .key = name, .kind = DEF_PART, .offset = offsetof(T, f), .type = &t }
#define PART(T, f, t) PART_AS(T, f, t, #f)
#define FRICTIONS(T) PART_AS(T, friction_by, friction_part, "friction")
#define BESIDE(T, f, t)                                                                                                \
    { .key = "", .kind = DEF_BESIDE, .offset = offsetof(T, f), .type = &t }
#define SHAPES(T)                                                                                                      \
    {                                                                                                                  \
        .key = "shape", .kind = DEF_PARTS, .offset = offsetof(T, shape), .count_offset = offsetof(T, shapes),          \
        .type = &def_shape                                                                                             \
    }
#define PARTNERS(T)                                                                                                    \
    { .key = "between", .kind = DEF_PARTNERS, .offset = offsetof(T, between), .count = 2, .type = &partner_part }
#define GROUPS(T)                                                                                                      \
    { .key = "among", .kind = DEF_GROUPS, .offset = offsetof(T, among), .count = 2, .type = &partner_part }
#define END                                                                                                            \
    { 0 }

/* ---- parts */

#define T carom_rotation_def
static const def_field rotation_fields[] = {
    VALUES_AS(T, quaternion, NULL), VALUES(T, axis), VALUES(T, angle), TEXT(T, euler), VALUES(T, angles), END};
#undef T
static const def_type rotation_part = {.fields = rotation_fields};

#define T carom_round_def
static const def_field round_fields[] = {VALUES(T, radius), VALUES(T, length), END};
#undef T
static const def_type round_part = {.fields = round_fields};

#define T carom_shape_def
static const def_field shape_fields[] = {VALUES(T, point),
                                         VALUES(T, sphere),
                                         VALUES(T, disk),
                                         VALUES(T, box),
                                         VALUES(T, plane),
                                         VALUES(T, ellipsoid),
                                         PART(T, cylinder, round_part),
                                         PART(T, capsule, round_part),
                                         POINTS(hull, hull_points),
                                         TEXT_AS(T, mesh, "hull"),
                                         VALUES(T, scale),
                                         VALUES(T, at),
                                         VALUES(T, axis),
                                         PART(T, rotation, rotation_part),
                                         VALUES(T, points),
                                         VALUES(T, radius),
                                         FLAG(T, hole),
                                         END};
#undef T
const def_type def_shape = {.what = "shape", .size = sizeof(carom_shape_def), .fields = shape_fields};

#define T carom_partner_def
static const def_field partner_fields[] = {TEXT(T, body), TEXT(T, beam), BESIDE(T, shape, def_shape), END};
#undef T
static const def_type partner_part = {.size = sizeof(carom_partner_def), .fields = partner_fields};

#define T carom_section_def
static const def_field section_fields[] = {VALUES(T, circle),  VALUES(T, rectangle), VALUES(T, area),
                                           VALUES(T, bending), VALUES(T, torsion),   END};
#undef T
static const def_type section_part = {.fields = section_fields};

#define T carom_friction_def
static const def_field friction_fields[] = {VALUES_AS(T, static_, "static"), VALUES(T, kinetic), VALUES(T, along),
                                            VALUES(T, factor), END};
#undef T
static const def_type friction_part = {.fields = friction_fields};

#define T carom_breaks_def
static const def_field breaks_fields[] = {VALUES(T, force), VALUES(T, torque), VALUES(T, impulse), END};
#undef T
static const def_type breaks_part = {.fields = breaks_fields};

#define T carom_strain_def
static const def_field strain_fields[] = {VALUES(T, strain), VALUES(T, position), END};
#undef T
static const def_type strain_part = {.fields = strain_fields};

#define T carom_beam_start_def
static const def_field beam_start_fields[] = {VALUES(T, strain), PART(T, then, strain_part), VALUES(T, after), END};
#undef T
static const def_type beam_start_part = {.fields = beam_start_fields};

#define T carom_tips_def
static const def_field tips_fields[] = {VALUES(T, start), VALUES(T, end), END};
#undef T
static const def_type tips_part = {.fields = tips_fields};

#define T carom_draw_def
static const def_field draw_fields[] = {VALUES(T, at), VALUES(T, normal), VALUES(T, tangent1), VALUES(T, tangent2),
                                        END};
#undef T
static const def_type draw_part = {.fields = draw_fields};

/* ---- entries: fields and type of the definition carom_NAME_def */

#define ENTRY(name, map) const def_type def_##name = {#name, {"model", map}, sizeof(carom_##name##_def), name##_fields}

#define T carom_body_def
static const def_field body_fields[] = {TEXT(T, type),
                                        VALUES(T, mass),
                                        VALUES(T, density),
                                        VALUES(T, inertia),
                                        ROWS_AS(T, inertia_matrix, "inertia"),
                                        VALUES(T, center),
                                        SHAPES(T),
                                        VALUES(T, position),
                                        VALUES(T, velocity),
                                        VALUES(T, angle),
                                        VALUES(T, angular_velocity),
                                        VALUES(T, angular_velocity_world),
                                        PART(T, rotation, rotation_part),
                                        END};
#undef T
ENTRY(body, "bodies");

#define T carom_frame_def
static const def_field frame_fields[] = {VALUES(T, position), PART(T, rotation, rotation_part), SHAPES(T), END};
#undef T
ENTRY(frame, "frames");

#define T carom_joint_def
static const def_field joint_fields[] = {TEXT(T, type),
                                         TEXTS(T, bodies),
                                         VALUES(T, at),
                                         VALUES(T, axis),
                                         VALUES(T, axis2),
                                         ROWS(T, points),
                                         ROWS(T, axes),
                                         VALUES(T, angle),
                                         VALUES(T, displacement),
                                         VALUES(T, length),
                                         VALUES(T, speed),
                                         VALUES(T, torque),
                                         VALUES(T, force),
                                         VALUES(T, spring),
                                         VALUES(T, rest),
                                         VALUES(T, damper),
                                         VALUES(T, limits),
                                         VALUES(T, restitution),
                                         VALUES(T, offset),
                                         VALUES(T, angle2),
                                         VALUES(T, speed2),
                                         VALUES(T, torque2),
                                         VALUES(T, spring2),
                                         VALUES(T, rest2),
                                         VALUES(T, damper2),
                                         VALUES(T, limits2),
                                         VALUES(T, offset2),
                                         VALUES(T, friction),
                                         FRICTIONS(T),
                                         VALUES(T, radius),
                                         VALUES(T, preload),
                                         TEXT(T, impact),
                                         PART(T, breaks, breaks_part),
                                         END};
#undef T
ENTRY(joint, "joints");

#define T carom_spring_def
static const def_field spring_fields[] = {TEXTS(T, between), ROWS(T, points),    ROWS(T, ends),    VALUES(T, stiffness),
                                          VALUES(T, length), VALUES(T, damping), VALUES(T, force), END};
#undef T
ENTRY(spring, "springs");

#define T carom_load_def
static const def_field load_fields[] = {TEXT(T, body),     VALUES(T, at),  VALUES(T, force),
                                        VALUES(T, torque), TEXT(T, frame), END};
#undef T
ENTRY(load, "loads");

#define T carom_contact_def
static const def_field contact_fields[] = {PARTNERS(T),
                                           GROUPS(T),
                                           VALUES(T, friction),
                                           VALUES_AS(T, frictions, "friction"),
                                           FRICTIONS(T),
                                           VALUES(T, belt),
                                           VALUES(T, grain),
                                           VALUES(T, restitution),
                                           VALUES(T, tangential_restitution),
                                           VALUES(T, rolling),
                                           VALUES(T, drilling),
                                           VALUES(T, rest),
                                           VALUES(T, adhesion),
                                           TEXT(T, law),
                                           TEXT(T, impact),
                                           FLAG(T, slips),
                                           END};
#undef T
ENTRY(contact, "contacts");

#define T carom_rolling_def
static const def_field rolling_fields[] = {PARTNERS(T), END};
#undef T
ENTRY(rolling, "rolling");

#define T carom_chain_def
static const def_field chain_fields[] = {VALUES(T, links),
                                         VALUES(T, from),
                                         VALUES(T, to),
                                         VALUES(T, curve),
                                         VALUES(T, mass),
                                         VALUES(T, radius),
                                         TEXTS(T, ends),
                                         ROWS(T, points),
                                         PART(T, breaks, breaks_part),
                                         END};
#undef T
ENTRY(chain, "chains");

#define T carom_beam_def
static const def_field beam_fields[] = {TEXT(T, type),
                                        VALUES(T, elements),
                                        VALUES(T, from),
                                        VALUES(T, to),
                                        VALUES(T, curve),
                                        VALUES(T, up),
                                        PART(T, section, section_part),
                                        VALUES(T, young),
                                        VALUES(T, shear),
                                        VALUES(T, poisson),
                                        VALUES(T, density),
                                        VALUES(T, shear_factor),
                                        VALUES(T, stiffness),
                                        VALUES(T, mass_per_length),
                                        VALUES(T, inertia_per_length),
                                        TEXT(T, mass),
                                        VALUES(T, damping),
                                        VALUES(T, viscosity),
                                        VALUES(T, velocity),
                                        VALUES(T, angular_velocity),
                                        PART(T, start, beam_start_part),
                                        END};
#undef T
ENTRY(beam, "beams");

#define T carom_bar_def
static const def_field bar_fields[] = {VALUES(T, elements),        VALUES(T, from),          VALUES(T, to),
                                       VALUES(T, mass_per_length), VALUES(T, stiffness),     VALUES(T, energy),
                                       VALUES(T, velocity),        PART(T, tips, tips_part), END};
#undef T
ENTRY(bar, "bars");

#define T carom_join_def
static const def_field join_fields[] = {VALUES(T, between), VALUES(T, split), VALUES(T, restitution), END};
#undef T
ENTRY(join, "joins");

#define T carom_coordinate_def
static const def_field coordinate_fields[] = {VALUES(T, start), VALUES(T, velocity), TEXT(T, unit), END};
#undef T
ENTRY(coordinate, "coordinates");

#define T carom_velocity_def
static const def_field velocity_fields[] = {VALUES(T, start), TEXT(T, unit), END};
#undef T
ENTRY(velocity, "velocities");

#define T carom_gap_def
static const def_field gap_fields[] = {VALUES(T, gap),
                                       VALUES(T, slip),
                                       VALUES(T, displacement),
                                       VALUES(T, friction),
                                       VALUES_AS(T, frictions, "friction"),
                                       FRICTIONS(T),
                                       VALUES(T, restitution),
                                       VALUES(T, tangential_restitution),
                                       VALUES(T, rest),
                                       VALUES(T, adhesion),
                                       TEXT(T, law),
                                       TEXT(T, impact),
                                       TEXT(T, unit),
                                       PART(T, draw, draw_part),
                                       END};
#undef T
ENTRY(gap, "contacts");

#define T carom_symmetry_def
static const def_field symmetry_fields[] = {
    {.key = "", .kind = DEF_ENTRIES, .offset = offsetof(T, moves), .count_offset = offsetof(T, move_count)},
    VALUES(T, translate),
    VALUES(T, rotate),
    VALUES(T, about),
    END};
#undef T
ENTRY(symmetry, "symmetries");

#define T carom_drawing_def
static const def_field drawing_fields[] = {POINTS(line, line_points),
                                           POINTS(polygon, polygon_points),
                                           ROWS(T, spring),
                                           VALUES(T, path),
                                           TEXT(T, text),
                                           VALUES(T, circle),
                                           VALUES(T, disk),
                                           VALUES(T, sphere),
                                           VALUES(T, box),
                                           VALUES(T, plane),
                                           PART(T, capsule, round_part),
                                           PART(T, cylinder, round_part),
                                           VALUES(T, at),
                                           VALUES(T, angle),
                                           VALUES(T, axis),
                                           VALUES(T, radius),
                                           PART(T, rotation, rotation_part),
                                           FLAG(T, ground),
                                           END};
#undef T
ENTRY(drawing, "draw");

#define T carom_system_def
static const def_field system_fields[] = {VALUES(T, gravity),
                                          VALUES(T, kinetic),
                                          VALUES(T, potential),
                                          VALUES(T, dissipation),
                                          TEXT(T, start),
                                          TEXT(T, impacts),
                                          END};
#undef T
ENTRY(system, NULL);

#define T carom_report_def
static const def_field report_run_fields[] = {VALUES(T, every), LIST(T, record, records), END};
static const def_type report_run_part = {.fields = report_run_fields};
static const def_field report_fields[] = {TEXT(T, title),
                                          TEXT(T, description),
                                          LIST(T, plot, plots),
                                          {.key = "run", .kind = DEF_PART, .type = &report_run_part},
                                          END};
#undef T
const def_type def_report = {"report", {NULL}, sizeof(carom_report_def), report_fields};
