/* The program around a compiled entry function: `.npy` files in, `.npy` files out.

   Before this text stand the declarations of the entry function and the tables `inputs` and `outputs`, made
   for one program. Arrays must be as NumPy writes them: little-endian, row-major. */

static int fail(const char *path, const char *reason) {
  fprintf(stderr, "%s: %s\n", path, reason);
  return 2;
}

static void *buffer(size_t bytes) {
  size_t lines = bytes / 64 + 1;
  void *memory = aligned_alloc(64, lines * 64);
  if (memory == NULL) {
    fprintf(stderr, "out of memory\n");
    exit(2);
  }
  memset(memory, 0, lines * 64);
  return memory;
}

static int read_array(const char *path, const struct array *array, void *data) {
  unsigned char start[12];
  char header[65536];
  FILE *file = fopen(path, "rb");
  if (file == NULL)
    return fail(path, "cannot be read");
  int good = fread(start, 1, 10, file) == 10 && memcmp(start, "\x93NUMPY", 6) == 0;
  size_t length = good ? start[8] | (size_t)start[9] << 8 : 0;
  if (good && start[6] != 1)
    good = fread(start + 10, 1, 2, file) == 2 && start[10] == 0 && start[11] == 0;
  good = good && length < sizeof header && fread(header, 1, length, file) == length;
  if (!good) {
    fclose(file);
    return fail(path, "is not a .npy file");
  }
  header[length] = 0;
  good = strstr(header, array->type) != NULL && strstr(header, array->shape) != NULL &&
         strstr(header, "'fortran_order': False") != NULL;
  if (!good) {
    fclose(file);
    fprintf(stderr, "%s: the array for %s must have %s and %s\n", path, array->name, array->type,
            array->shape);
    return 2;
  }
  good = fread(data, 1, array->bytes, file) == array->bytes && fgetc(file) == EOF;
  fclose(file);
  return good ? 0 : fail(path, "does not have as many elements as its header says");
}

static int write_array(const char *path, const struct array *array, const void *data) {
  char header[65536];
  int length = snprintf(header, sizeof header - 64, "{%s, 'fortran_order': False, %s, }",
                        array->type, array->shape);
  while ((10 + length + 1) % 64 != 0)
    header[length++] = ' ';
  header[length++] = '\n';
  const unsigned char start[10] = {0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0,
                                   (unsigned char)(length & 255), (unsigned char)(length >> 8)};
  FILE *file = fopen(path, "wb");
  if (file == NULL)
    return fail(path, "cannot be written");
  int good = fwrite(start, 1, 10, file) == 10 &&
             fwrite(header, 1, (size_t)length, file) == (size_t)length &&
             fwrite(data, 1, array->bytes, file) == array->bytes;
  good = fclose(file) == 0 && good;
  return good ? 0 : fail(path, "cannot be written");
}

int main(int count, char **arguments) {
  if (count != INPUTS + 1) {
    fprintf(stderr, "usage: %s", arguments[0]);
    for (int i = 0; i < INPUTS; ++i)
      fprintf(stderr, " %s.npy", inputs[i].name);
    fprintf(stderr, "\nwrites output0.npy, … to this folder\n");
    return 2;
  }
#ifdef PERMIT
  PERMIT;
#endif
  const void *in[INPUTS + 1];
  void *out[OUTPUTS + 1];
  for (int i = 0; i < INPUTS; ++i) {
    void *data = buffer(inputs[i].bytes);
    if (read_array(arguments[i + 1], &inputs[i], data) != 0)
      return 2;
    in[i] = data;
  }
  for (int i = 0; i < OUTPUTS; ++i)
    out[i] = buffer(outputs[i].bytes);
  int32_t status = ENTRY(in, out, buffer(WORKSPACE_SIZE()), NULL);
  if (status != 0) {
    fprintf(stderr, "the program returned status %d\n", (int)status);
    return 1;
  }
  for (int i = 0; i < OUTPUTS; ++i) {
    char path[32];
    snprintf(path, sizeof path, "output%d.npy", i);
    if (write_array(path, &outputs[i], out[i]) != 0)
      return 2;
  }
  return 0;
}
