// The table of a program that `jit/entry.py` writes: a header, inputs, outputs, and the addresses of constants.
#ifndef MLIRAD_ENTRY_H
#define MLIRAD_ENTRY_H

#include <stdatomic.h>

#include "guards.h"
#include "host.h"

typedef struct {
    _Atomic(int64_t) is_in_use;
    void *memory;
} Arena;

typedef struct {
    Program *program;
    Arena *arena; // null without an arena
    int64_t inputs;
    int64_t outputs;
    int64_t constants;
    Object *general_path;
    int64_t releases; // whether to release the global lock at once
    int64_t time_limit;
    const Guard *guards;
    int64_t guard_count;
    int64_t given_outs;   // how many arrays for results come after the arguments: one for each, or none
    int64_t destinations; // whether any result is written to an array that is given, or whose memory it may take
    Object *handler;      // of the memory of large results
    int64_t threads;
    int64_t holds; // whether to hold the arguments from the beginning
} Header;

typedef struct {
    Object *dtype; // that the program reads
    int64_t rank;
    const int64_t *shape;
    uint64_t bytes;
    Object *numpy_type;  // of scalars that may stand for it, or null
    Object *python_type; // likewise
    Object *given_dtype; // of arrays that are passed for it, or null
} Input;

typedef struct {
    Object *dtype;
    int64_t rank;
    const int64_t *shape;
    uint64_t bytes;
    int64_t dtype_number;
    int64_t donated_input; // whose memory it may take; -1 if it takes none
    int64_t is_copied;     // whether it is made elsewhere and copied there, as the argument is read for longer
    int64_t is_large;
} Output;

#define IS_AT(structure, field, word) _Static_assert(offsetof(structure, field) == 8 * (word), #field)
IS_AT(Header, program, TABLE_PROGRAM);
IS_AT(Header, arena, TABLE_ARENA);
IS_AT(Header, inputs, TABLE_INPUTS);
IS_AT(Header, outputs, TABLE_OUTPUTS);
IS_AT(Header, constants, TABLE_CONSTANTS);
IS_AT(Header, general_path, TABLE_GENERAL_PATH);
IS_AT(Header, releases, TABLE_RELEASES);
IS_AT(Header, time_limit, TABLE_TIME_LIMIT);
IS_AT(Header, guards, TABLE_GUARDS);
IS_AT(Header, guard_count, TABLE_GUARDS_COUNT);
IS_AT(Header, given_outs, TABLE_GIVEN_OUTS);
IS_AT(Header, destinations, TABLE_DESTINATIONS);
IS_AT(Header, handler, TABLE_HANDLER);
IS_AT(Header, threads, TABLE_THREADS);
IS_AT(Header, holds, TABLE_HOLDS);
IS_AT(Input, dtype, TABLE_DTYPE_WORD);
IS_AT(Input, rank, TABLE_RANK_WORD);
IS_AT(Input, shape, TABLE_SHAPE_WORD);
IS_AT(Input, bytes, TABLE_INPUT_BYTES);
IS_AT(Input, numpy_type, TABLE_NUMPY_TYPE);
IS_AT(Input, python_type, TABLE_PYTHON_TYPE);
IS_AT(Input, given_dtype, TABLE_GIVEN_DTYPE);
IS_AT(Output, dtype, TABLE_DTYPE_WORD);
IS_AT(Output, rank, TABLE_RANK_WORD);
IS_AT(Output, shape, TABLE_SHAPE_WORD);
IS_AT(Output, bytes, TABLE_OUTPUT_BYTES);
IS_AT(Output, dtype_number, TABLE_DTYPE_NUMBER);
IS_AT(Output, donated_input, TABLE_DONATED_INPUT);
IS_AT(Output, is_copied, TABLE_IS_COPIED);
IS_AT(Output, is_large, TABLE_IS_LARGE);
#undef IS_AT
_Static_assert(sizeof(Header) == 8 * TABLE_HEADER_WORDS, "HEADER_WORDS");
_Static_assert(sizeof(Input) == 8 * TABLE_INPUT_WORDS, "INPUT_WORDS");
_Static_assert(sizeof(Output) == 8 * TABLE_OUTPUT_WORDS, "OUTPUT_WORDS");

#endif
