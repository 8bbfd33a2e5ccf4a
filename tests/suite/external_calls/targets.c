/* Targets of custom calls in every convention, with the prototypes that the object's header gives. */
#include HEADER

#include <string.h>

/* Two operands, one result: x + 10 y. */
void weigh(void *out, void **in) {
  const float *x = in[0], *y = in[1];
  float *z = out;
  for (int i = 0; i < 3; i++)
    z[i] = x[i] + 10 * y[i];
}

/* Two results; fails for a negative first element. */
int32_t halves(void *out, void **in) {
  void **results = out;
  const float *x = in[0];
  if (x[0] < 0)
    return 77;
  for (int i = 0; i < 3; i++) {
    float value = x[i]; /* the first result may lie in the same buffer */
    ((float *)results[0])[i] = value / 2;
    ((int32_t *)results[1])[i] = (int32_t)value;
  }
  return 0;
}

/* A tuple in a tuple: its last element is x + 1. */
void pairs(void *out, void **in) {
  const int32_t *x = in[0];
  void **results = out, **inner = results[1];
  for (int i = 0; i < 3; i++) {
    ((int32_t *)results[0])[i] = 0;
    ((float *)inner[0])[i] = 0;
    ((int32_t *)inner[1])[i] = x[i] + 1;
  }
}

/* The text as numbers. */
int32_t letters(void *out, void **in, const char *config, size_t config_size) {
  (void)in;
  int32_t *result = *(void **)out;
  for (int i = 0; i < 3; i++)
    result[i] = (size_t)i < config_size ? config[i] : -1;
  return config[config_size];
}

/* Everything that a description holds, checked; x in place times an attribute. */
int32_t scaled(const strata_call *call) {
  if (call->version != 1 || call->input_count != 2 || call->output_count != 1 ||
      call->attribute_count != 6)
    return 70;
  const strata_buffer *in = call->inputs, *out = call->outputs;
  if (in[0].element_type != STRATA_F32 || in[0].rank != 2 || in[0].dimensions[0] != 2 ||
      in[0].dimensions[1] != 3 || in[1].rank != 0 || in[1].dimensions != NULL)
    return 71;
  if (out[0].data != in[0].data)
    return 72;
  const strata_attribute *a = call->attributes;
  if (strcmp(a[0].name, "by") != 0 || a[0].kind != STRATA_F32 || a[0].count != 1)
    return 73;
  if (strcmp(a[1].name, "half") != 0 || a[1].kind != STRATA_F16 || a[1].count != 1 ||
      *(const uint16_t *)a[1].data != 0x3e00)
    return 77;
  if (strcmp(a[2].name, "inner") != 0 || a[2].kind != STRATA_DICTIONARY || a[2].count != 1 ||
      ((const strata_attribute *)a[2].data)->kind != STRATA_U8)
    return 74;
  if (strcmp(a[3].name, "label") != 0 || a[3].kind != STRATA_STRING || a[3].count != 2 ||
      strcmp(a[3].data, "hi") != 0)
    return 75;
  if (strcmp(a[4].name, "limits") != 0 || a[4].kind != STRATA_F32 || a[4].is_array != 1 ||
      a[4].count != 2 || ((const uint32_t *)a[4].data)[1] != 0x7f800000)
    return 78;
  if (strcmp(a[5].name, "order") != 0 || a[5].kind != STRATA_I64 || a[5].is_array != 1 ||
      a[5].count != 2 || ((const int64_t *)a[5].data)[1] != 7)
    return 76;
  /* The layout is column-major: element (0, 1) is the third. */
  float *x = out[0].data;
  for (int i = 0; i < 6; i++)
    x[i] = x[i] * *(const float *)a[0].data + (float)i;
  return 0;
}

/* The first element of the operand and 100; the others are not written. */
int32_t first(void *out, void **in) {
  ((float *)out)[0] = ((const float *)in[0])[0] + 100;
  return 0;
}

/* Buffers without elements are not looked at. */
void empty(void *out, void **in) {
  (void)out;
  (void)in;
}
