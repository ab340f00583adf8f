// The entry and guards with objects of our own in place of CPython's and NumPy's: random tables and arguments, and
// failures anywhere. Results must be right, and in the end every object must have as many references as at first.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "entry.c"
#include "guards.c"

enum { RUNS = 20000, MOST = 4, EXTENT = 3, BYTES = EXTENT * sizeof(int64_t) };

Object PyArray_Type, PyBool_Type, PyFloat_Type, _Py_TrueStruct, _Py_FalseStruct;
static Object PyLong_Type, NumPyScalar_Type, Tuple_Type;
static Object Read_Dtype, Other_Dtype, general_path, general_result, handlers[2];
static Object *handler = &handlers[0];
static bool is_error_set;
static int64_t live_objects;
static unsigned fails_in; // how many calls that can fail do not; 0 for no failure

typedef struct {
    Array array;
    int64_t extents[1];
    int64_t elements[EXTENT];
} OwnArray;

typedef struct {
    Object object;
    Object *items[MOST];
} OwnTuple;

static void expect(bool condition, const char *what) {
    if (condition)
        return;
    fprintf(stderr, "wrong: %s\n", what);
    exit(1);
}

static bool fails(void) {
    if (!fails_in || --fails_in)
        return false;
    is_error_set = true;
    return true;
}

static void *made(uint64_t size, Object *type) {
    Object *object = calloc(1, size);
    object->reference_count = 1;
    object->type = type;
    live_objects++;
    return object;
}

static OwnArray *make_array(Object *dtype, int rank) {
    OwnArray *own = made(sizeof(OwnArray), &PyArray_Type);
    own->extents[0] = EXTENT;
    own->array.data = own->elements;
    own->array.rank = rank;
    own->array.shape = own->extents;
    own->array.dtype = dtype;
    own->array.flags = LAYOUT_WRITTEN_FLAGS;
    return own;
}

static Object *make_scalar(Object *type, int64_t value) {
    Scalar *scalar = made(sizeof(Scalar), type);
    scalar->value = (uint64_t)value;
    return &scalar->object;
}

void Py_IncRef(Object *object) { object->reference_count++; }

void Py_DecRef(Object *object) {
    if (!object || --object->reference_count)
        return;
    if (object->type == &Tuple_Type)
        for (int k = 0; k < MOST; k++)
            Py_DecRef(((OwnTuple *)object)->items[k]);
    live_objects--;
    free(object);
}

void *PyCapsule_GetPointer(Object *capsule, const char *name) { return name ? NULL : (void *)capsule; }
void PyErr_Clear(void) { is_error_set = false; }
Object *PyErr_Occurred(void) { return is_error_set ? &general_path : NULL; }

int64_t PyLong_AsLongLong(Object *integer) {
    const int64_t value = (int64_t)((Scalar *)integer)->value;
    is_error_set = value == INT64_MIN; // stands for an integer that is too large
    return is_error_set ? -1 : value;
}

Object *PyObject_Vectorcall(Object *function, Object *const *arguments, uint64_t count, Object *names) {
    (void)arguments, (void)count;
    expect(function == &general_path && !names && !is_error_set, "the call of the general path");
    Py_IncRef(&general_result);
    return &general_result;
}

Object *PyTuple_New(int64_t size) {
    expect(size != 1 && size <= MOST, "the size of a tuple");
    return fails() ? NULL : made(sizeof(OwnTuple), &Tuple_Type);
}

int PyTuple_SetItem(Object *tuple, int64_t position, Object *item) {
    ((OwnTuple *)tuple)->items[position] = item;
    return 0;
}

Array *PyArray_FromArray(Array *array, Object *dtype, int flags) {
    expect(flags == LAYOUT_FRESH_FLAGS, "the flags of a conversion");
    Py_DecRef(dtype);
    if (fails())
        return NULL;
    OwnArray *own = make_array(dtype, array->rank);
    memcpy(own->elements, array->data, BYTES);
    return &own->array;
}

Array *PyArray_FromScalar(Object *scalar, Object *dtype) {
    Py_DecRef(dtype);
    if (fails())
        return NULL;
    OwnArray *own = make_array(dtype, 0);
    own->elements[0] = (int64_t)((Scalar *)scalar)->value;
    return &own->array;
}

Array *PyArray_New(Object *type, int rank, const int64_t *shape, int type_number, const int64_t *strides, void *data,
    int item_bytes, int flags, Object *object) {
    (void)type_number, (void)item_bytes, (void)flags;
    expect(type == &PyArray_Type && rank == 1 && shape[0] == EXTENT && !strides && !data && !object, "a new array");
    return fails() ? NULL : &make_array(&Read_Dtype, rank)->array;
}

Object *PyArray_Scalar(void *data, Object *dtype, Object *base) {
    expect(dtype == &Read_Dtype && !base, "a new scalar");
    return fails() ? NULL : make_scalar(&NumPyScalar_Type, *(int64_t *)data);
}

Object *PyDataMem_SetHandler(Object *next) {
    if (next == &handlers[1] && fails())
        return NULL;
    Object *before = handler;
    handler = next;
    Py_IncRef(before);
    return before;
}

Object *PyDict_GetItem(Object *dictionary, Object *key) { return dictionary == key ? key : NULL; }
int PyDict_Next(Object *dictionary, int64_t *position, Object **key, Object **value) {
    OwnTuple *tuple = (OwnTuple *)dictionary; // its items in turn: keys and values
    if (*position >= MOST || !tuple->items[*position])
        return 0;
    *key = tuple->items[*position];
    *value = tuple->items[*position + 1];
    *position += 2;
    return 1;
}

Object *PyObject_CallNoArgs(Object *function) {
    if (!function)
        return is_error_set = true, NULL;
    Py_IncRef(function);
    return function;
}

Object *PyObject_GetAttr(Object *object, Object *name) {
    if (object != name)
        return is_error_set = true, NULL;
    Py_IncRef(name);
    return name;
}

int64_t enter_standard(void) { return 7; }
void leave_standard(int64_t mode) { expect(mode == 7, "the mode"); }

// It is never run.
static void program(void **buffers, void *arena, Context *context) { (void)buffers, (void)arena, (void)context; }

static const Header *called;

// Output k becomes the sum of all inputs and constants plus k.
int mlirad_call(Program *run, void **buffers, void *arena, int64_t releases, int64_t time_limit, int64_t threads,
    Borrowed *borrowed, int64_t holds) {
    expect(run == program && releases == 1 && time_limit == 2 && threads == 3 && holds == 4, "what is passed");
    expect(!called->arena || (arena == called->arena->memory && called->arena->is_in_use), "the arena");
    expect(borrowed->count == called->inputs + called->given_outs && !borrowed->are_held, "what is borrowed");
    if (fails())
        return -1;
    const Input *inputs = (const Input *)(called + 1);
    const Output *outputs = (const Output *)(inputs + called->inputs);
    int64_t sum = 0;
    for (int64_t k = 0; k < called->inputs; k++)
        sum += *(int64_t *)buffers[k];
    for (int64_t k = 0; k < called->constants; k++)
        sum += *(int64_t *)buffers[called->inputs + called->outputs + k];
    for (int64_t k = 0; k < called->outputs; k++)
        for (uint64_t i = 0; i < outputs[k].bytes / 8; i++)
            ((int64_t *)buffers[called->inputs + k])[i] = sum + k;
    return 0;
}

static bool chance(int of) { return rand() % of == 0; }

typedef struct {
    Header header;
    int64_t words[MOST * (TABLE_INPUT_WORDS + TABLE_OUTPUT_WORDS) + 1];
} Table;

static int64_t value_of(const Object *result) {
    return result->type == &PyArray_Type ? *(int64_t *)((Array *)result)->data : (int64_t)((Scalar *)result)->value;
}

static void run_one(void) {
    static const int64_t shape[1] = {EXTENT};
    static int64_t constant = 1000;
    static Arena arena = {0, &arena};
    Table table = {0};
    Object *arguments[2 * MOST];
    const int64_t inputs = rand() % (MOST + 1);
    const int64_t outputs = rand() % (MOST + 1);
    const bool has_outs = chance(4);
    bool is_general = false;
    int64_t sum = constant;
    Object *const word = &general_path;
    const Guard guard = {.kind = GUARD_WORD, .word = &word, .expected = chance(20) ? &Tuple_Type : &general_path};
    is_general |= guard.expected != word;
    table.header = (Header){.program = program, .arena = chance(2) ? &arena : NULL, .inputs = inputs,
        .outputs = outputs, .constants = 1, .general_path = &general_path, .releases = 1, .time_limit = 2,
        .guards = &guard, .guard_count = chance(2), .given_outs = has_outs ? outputs : 0, .handler = &handlers[1],
        .threads = 3, .holds = 4};
    is_general &= table.header.guard_count == 1;
    Input *input = (Input *)(&table.header + 1);
    Output *output = (Output *)(input + inputs);
    *(void **)(output + outputs) = &constant;
    arena.is_in_use = chance(20);
    is_general |= table.header.arena && arena.is_in_use;
    for (int64_t k = 0; k < inputs; k++) {
        const int64_t value = rand() % 100;
        const int rank = chance(2);
        Object *given = chance(4) ? &Other_Dtype : &Read_Dtype;
        input[k] = (Input){.dtype = &Read_Dtype, .rank = rank, .shape = shape, .bytes = rank ? BYTES : 8,
            .numpy_type = rank ? NULL : &NumPyScalar_Type, .python_type = rank ? NULL : &PyLong_Type,
            .given_dtype = given};
        if (rank || chance(2)) {
            OwnArray *own = make_array(chance(20) ? &Tuple_Type : given, rank);
            own->elements[0] = value;
            own->array.flags = chance(4) ? 0 : LAYOUT_WRITTEN_FLAGS;
            own->extents[0] = rank && chance(20) ? EXTENT + 1 : EXTENT;
            is_general |= own->array.dtype != given || own->extents[0] != EXTENT;
            arguments[k] = &own->array.object;
            sum += value;
        } else {
            const bool is_python = chance(2);
            const bool is_large = is_python && chance(20);
            const int64_t number = is_large ? INT64_MIN : value - 1;
            arguments[k] = make_scalar(is_python ? &PyLong_Type : &NumPyScalar_Type, number);
            is_general |= is_large;
            sum += is_large ? 0 : number;
        }
    }
    bool has_donations = false;
    for (int64_t k = 0; k < outputs; k++) {
        const int rank = chance(2);
        output[k] = (Output){.dtype = &Read_Dtype, .rank = rank, .shape = shape, .bytes = rank ? BYTES : 8,
            .donated_input = -1, .is_large = chance(8)};
        if (has_outs) {
            OwnArray *own = make_array(&Read_Dtype, rank);
            arguments[inputs + k] = &own->array.object;
            if (k && rank && chance(20) && output[k - 1].rank) {
                own->array.data = ((Array *)arguments[inputs + k - 1])->data;
                is_general = true;
            }
        } else if (k < inputs && rank && input[k].rank && is_array(arguments[k])) {
            const Array *array = (Array *)arguments[k];
            if (array->dtype == &Read_Dtype && array->flags == LAYOUT_WRITTEN_FLAGS && array->shape[0] == EXTENT &&
                input[k].given_dtype == &Read_Dtype) {
                output[k].donated_input = k;
                output[k].is_copied = chance(2);
                has_donations = true;
            }
        }
    }
    table.header.destinations = has_donations || has_outs;
    fails_in = chance(3) ? 1 + (unsigned)rand() % 8 : 0;
    is_error_set = false;
    called = &table.header;
    Object *result = mlirad_entry((Object *)&table, arguments, inputs + table.header.given_outs - chance(50));
    expect(handler == &handlers[0], "the handler of memory is restored");
    expect(is_error_set == !result, "an error is set where there is no result");
    if (result == &general_result) {
        general_result.reference_count--;
    } else if (result) {
        expect(!is_general, "the general path is taken");
        expect(!table.header.arena || !arena.is_in_use, "the arena is free again");
        for (int64_t k = 0; k < outputs; k++) {
            Object *one = outputs == 1 ? result : ((OwnTuple *)result)->items[k];
            expect(value_of(one) == sum + k, "a result");
            expect(!has_outs || one == arguments[inputs + k], "an array that was given");
            expect(output[k].donated_input < 0 || one == arguments[output[k].donated_input], "a donated array");
        }
        Py_DecRef(result);
    }
    for (int64_t k = 0; k < inputs + table.header.given_outs; k++) {
        expect(arguments[k]->reference_count == 1, "references to an argument");
        Py_DecRef(arguments[k]);
    }
    expect(!live_objects, "objects are left");
    expect(Read_Dtype.reference_count == 1000, "references to a dtype");
    expect(handlers[0].reference_count == 1000 && handlers[1].reference_count == 1000, "references to a handler");
}

static bool is_held(Guard guard) {
    const struct {
        const Guard *guards;
        int64_t count;
    } of_one = {&guard, 1};
    Object *answer = mlirad_hold((Object *)&of_one, NULL, 0);
    expect(!is_error_set, "a guard leaves no error");
    answer->reference_count--;
    return answer == &_Py_TrueStruct;
}

static void check_guards(void) {
    Object a = {1000, NULL}, b = {1000, NULL};
    Object *both[4] = {&a, &b, NULL, NULL};
    Object *keys[1] = {&a};
    OwnTuple entries = {.items = {&a, &b}};
    const List list = {.size = 2, .items = both};
    Object *dictionary = &entries.object;
    uint32_t version = 5;
    const uint64_t same = 5, other = 6;
    OwnArray *array = make_array(&Read_Dtype, 1), *copy = make_array(&Read_Dtype, 1);
    ExpectedArray elements = {&Read_Dtype, LAYOUT_WRITTEN_FLAGS, 1, copy->extents, copy->elements, BYTES};
    expect(is_held((Guard){GUARD_LIST, {.list = &list}, {.items = both}, {.length = 2}}), "a list");
    expect(!is_held((Guard){GUARD_LIST, {.list = &list}, {.items = both}, {.length = 1}}), "a longer list");
    expect(is_held((Guard){GUARD_GROWING_LIST, {.list = &list}, {.items = both}, {.length = 1}}), "a list that grew");
    expect(is_held((Guard){GUARD_DICT, {dictionary}, {.items = both}, {.length = 1}}), "a dictionary");
    expect(!is_held((Guard){GUARD_DICT, {dictionary}, {.items = both}, {.length = 0}}), "a larger dictionary");
    expect(!is_held((Guard){GUARD_DICT, {dictionary}, {.items = both}, {.length = 2}}), "a smaller dictionary");
    expect(is_held((Guard){GUARD_GROWING_DICT, {dictionary}, {.items = both}, {.length = 0}}), "one that grew");
    expect(is_held((Guard){GUARD_KEYS, {dictionary}, {.items = keys}, {.length = 1}}), "keys");
    expect(is_held((Guard){GUARD_ITEM, {&a}, {&a}, {&a}}), "an item");
    expect(is_held((Guard){GUARD_ITEM, {&a}, {&b}, {NULL}}), "a missing item");
    expect(is_held((Guard){GUARD_ATTRIBUTE, {&a}, {&a}, {&a}}), "an attribute");
    expect(is_held((Guard){GUARD_ATTRIBUTE, {&a}, {&b}, {NULL}}), "a missing attribute");
    expect(is_held((Guard){GUARD_CALL, {&_Py_TrueStruct}, {NULL}, {NULL}}), "a call");
    expect(!is_held((Guard){GUARD_CALL, {NULL}, {NULL}, {NULL}}), "a call that raises");
    expect(is_held((Guard){GUARD_CLASS, {.version = &version}, {.expected_version = &same}, {NULL}}), "a class");
    expect(!is_held((Guard){GUARD_CLASS, {.version = &version}, {.expected_version = &other}, {&a}}), "another one");
    expect(is_held((Guard){GUARD_ARRAY, {.array = &array->array}, {.elements = &elements}, {NULL}}), "an array");
    array->elements[EXTENT - 1] = 1;
    expect(!is_held((Guard){GUARD_ARRAY, {.array = &array->array}, {.elements = &elements}, {NULL}}), "its elements");
    expect(!is_held((Guard){.kind = -1}), "an unknown guard");
    Py_DecRef(&array->array.object);
    Py_DecRef(&copy->array.object);
}

int main(int count, char **arguments) {
    srand(count > 1 ? (unsigned)atoi(arguments[1]) : 1);
    Read_Dtype.reference_count = general_path.reference_count = general_result.reference_count = 1000;
    handlers[0].reference_count = handlers[1].reference_count = 1000;
    _Py_TrueStruct.reference_count = _Py_FalseStruct.reference_count = 1000;
    check_guards();
    for (int k = 0; k < RUNS; k++)
        run_one();
    return 0;
}
