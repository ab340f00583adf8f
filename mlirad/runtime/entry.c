// The entry that all compiled programs share: a function of CPython's fast calling convention that reads a table
// describing the program. `jit/entry.py` says what a call does.
//
// Nothing is owned until the arena is taken. Up to there, whatever is not as expected goes to the general path, which
// is called with the same arguments. From there on an error drops all that was made.

#include "entry.h"
#include "host.h"
#include "system.h"

typedef struct {
    const Header *header;
    const Input *inputs;
    const Output *outputs;
    Object *const *arguments;
    int64_t argument_count;
    void **buffers;       // of inputs, outputs and constants
    uint64_t *scalars;    // room for the value of each input and output of rank 0
    Array **destinations; // where each output is to be written; null if nowhere in particular
    Object **results;     // null for what is still in `scalars`
    Array **converted;    // what was made of each argument that the program cannot read as it is
    int64_t conversions;  // how many of these there are
} Call;

#define ON_STACK(type, count) ((type *)__builtin_alloca((uint64_t)(count) * sizeof(type)))

static void clear(void **pointers, int64_t count) {
    for (int64_t k = 0; k < count; k++)
        pointers[k] = NULL;
}

static void drop_all(void **objects, int64_t count) {
    for (int64_t k = 0; k < count; k++)
        Py_DecRef(objects[k]);
}

// Arguments -----------------------------------------------------------------------------------------------------------

// Set the value of a Python scalar of an expected type, or return false for an integer that is too large.
static bool read_python_scalar(Object *argument, uint64_t *value) {
    if (argument->type == &PyBool_Type) {
        *(uint8_t *)value = argument == &_Py_TrueStruct;
        return true;
    }
    const int64_t number = PyLong_AsLongLong(argument);
    *value = (uint64_t)number;
    if (number != -1 || !PyErr_Occurred())
        return true;
    PyErr_Clear();
    return false;
}

// Find the memory that the program reads for an argument, null where it has to be converted. Return whether the
// argument is one that the table describes.
static bool find_buffer(Object *argument, const Input *input, uint64_t *value, void **buffer) {
    const bool is_read_as_given = input->dtype == input->given_dtype;
    if (is_array(argument)) {
        const Array *array = (const Array *)argument;
        if (!mlirad_same_array(array, input->given_dtype, input->rank, input->shape, 0, 0))
            return false;
        const bool is_readable = (array->flags & LAYOUT_READABLE_FLAGS) == LAYOUT_READABLE_FLAGS;
        *buffer = is_readable && is_read_as_given ? array->data : NULL;
        return true;
    }
    if (argument->type == input->numpy_type) {
        *buffer = is_read_as_given ? &((Scalar *)argument)->value : NULL;
        return true;
    }
    if (argument->type != input->python_type)
        return false;
    if (argument->type == &PyFloat_Type) {
        *buffer = &((Scalar *)argument)->value;
        return true;
    }
    *buffer = value;
    return read_python_scalar(argument, value);
}

static bool find_buffers(Call *call) {
    const int64_t count = call->header->inputs;
    for (int64_t k = 0; k < count; k++) {
        if (!find_buffer(call->arguments[k], &call->inputs[k], &call->scalars[k], &call->buffers[k]))
            return false;
        call->conversions += !call->buffers[k];
    }
    return true;
}

static void place_constants(const Call *call) {
    const Header *header = call->header;
    void *const *constants = (void *const *)(call->outputs + header->outputs);
    void **buffers = call->buffers + header->inputs + header->outputs;
    for (int64_t k = 0; k < header->constants; k++)
        buffers[k] = constants[k];
}

// Destinations --------------------------------------------------------------------------------------------------------
//
// Arrays that results are written to: given for it, or arguments whose memory they may take.

static bool are_apart(const void *a, uint64_t a_bytes, const void *b, uint64_t b_bytes) {
    return (uintptr_t)a + a_bytes <= (uintptr_t)b || (uintptr_t)b + b_bytes <= (uintptr_t)a;
}

// Return whether an array for the output `place`, the argument `position`, overlaps no other argument that is read and
// no array for an output before.
static bool is_apart_from_all(const Call *call, const Array *array, int64_t place, int64_t position) {
    const uint64_t bytes = call->outputs[place].bytes;
    const int64_t inputs = call->header->inputs;
    for (int64_t k = 0; k < inputs; k++)
        if (k != position && call->buffers[k] &&
            !are_apart(array->data, bytes, call->buffers[k], call->inputs[k].bytes))
            return false;
    for (int64_t k = 0; k < place; k++)
        if (call->destinations[k] &&
            !are_apart(array->data, bytes, call->destinations[k]->data, call->outputs[k].bytes))
            return false;
    return true;
}

static bool find_destination(const Call *call, int64_t place) {
    const Output *output = &call->outputs[place];
    const int64_t position = call->header->given_outs ? call->header->inputs + place : output->donated_input;
    call->destinations[place] = NULL;
    if (position < 0)
        return true;
    Array *array = (Array *)call->arguments[position];
    if (!is_array(&array->object) ||
        !mlirad_same_array(
            array, output->dtype, output->rank, output->shape, LAYOUT_WRITTEN_FLAGS, LAYOUT_WRITTEN_FLAGS) ||
        !is_apart_from_all(call, array, place, position))
        return false;
    call->destinations[place] = array;
    return true;
}

static OUT_OF_LINE bool find_destinations(const Call *call) {
    const int64_t count = call->header->outputs;
    for (int64_t k = 0; k < count; k++)
        if (!find_destination(call, k))
            return false;
    return true;
}

// Results -------------------------------------------------------------------------------------------------------------

// Have NumPy convert the arguments that are not laid out, or not of the dtype, that the program reads. It rounds to
// nearest there, as the program does.
static OUT_OF_LINE bool convert_arguments(const Call *call) {
    const int64_t count = call->header->inputs;
    bool is_done = true;
    clear((void **)call->converted, count);
    const int64_t mode = enter_standard();
    for (int64_t k = 0; is_done && k < count; k++) {
        if (call->buffers[k])
            continue;
        Object *argument = call->arguments[k];
        Object *dtype = call->inputs[k].dtype;
        Py_IncRef(dtype);
        call->converted[k] = is_array(argument)
                                 ? PyArray_FromArray((Array *)argument, dtype, LAYOUT_FRESH_FLAGS)
                                 : PyArray_FromScalar(argument, dtype);
        is_done = call->converted[k];
        if (is_done)
            call->buffers[k] = call->converted[k]->data;
    }
    leave_standard(mode);
    return is_done;
}

// Make an array for an output; null if that fails.
static Array *new_array(const Header *header, const Output *output) {
    Object *usual = NULL;
    if (output->is_large) {
        usual = PyDataMem_SetHandler(header->handler);
        if (!usual)
            return NULL;
    }
    Array *array = PyArray_New(&PyArray_Type, (int)output->rank, output->shape, (int)output->dtype_number, NULL, NULL,
        0, 0, NULL);
    if (usual) {
        Py_DecRef(PyDataMem_SetHandler(usual));
        Py_DecRef(usual);
    }
    return array;
}

// Set the result of an output to an array: to `given` unless that is null. Find its memory.
static bool place_array(const Header *header, const Output *output, Array *given, Object **result, void **buffer) {
    Array *array = given;
    if (given)
        Py_IncRef(&given->object);
    else
        array = new_array(header, output);
    if (!array)
        return false;
    *result = &array->object;
    *buffer = array->data;
    return true;
}

static bool make_results(const Call *call) {
    clear((void **)call->results, call->header->outputs);
    if (call->conversions && !convert_arguments(call))
        return false;
    const int64_t count = call->header->outputs;
    const bool has_destinations = call->header->destinations;
    void **buffers = call->buffers + call->header->inputs;
    uint64_t *scalars = call->scalars + call->header->inputs;
    for (int64_t k = 0; k < count; k++) {
        const Output *output = &call->outputs[k];
        Array *given = has_destinations && !output->is_copied ? call->destinations[k] : NULL;
        if (!given && !output->rank)
            buffers[k] = &scalars[k];
        else if (!place_array(call->header, output, given, &call->results[k], &buffers[k]))
            return false;
    }
    return true;
}

// Copy results to arguments whose memory the program could not write them to.
static OUT_OF_LINE void copy_results(const Call *call) {
    const int64_t count = call->header->outputs;
    for (int64_t k = 0; k < count; k++) {
        Array *to = call->destinations[k];
        Array *from = (Array *)call->results[k];
        if (!to || to == from)
            continue;
        __builtin_memcpy(to->data, call->buffers[call->header->inputs + k], call->outputs[k].bytes);
        Py_IncRef(&to->object);
        call->results[k] = &to->object;
        Py_DecRef(&from->object);
    }
}

// Make NumPy scalars of the results of rank 0.
static bool box_scalars(const Call *call) {
    const int64_t count = call->header->outputs;
    for (int64_t k = 0; k < count; k++) {
        if (call->results[k])
            continue;
        call->results[k] = PyArray_Scalar(&call->scalars[call->header->inputs + k], call->outputs[k].dtype, NULL);
        if (!call->results[k])
            return false;
    }
    return true;
}

// Return the result, or a tuple if there are several or none; null if that fails, with all results left.
static Object *returned(const Call *call) {
    const int64_t count = call->header->outputs;
    if (count == 1)
        return call->results[0];
    Object *tuple = PyTuple_New(count);
    for (int64_t k = 0; tuple && k < count; k++)
        PyTuple_SetItem(tuple, k, call->results[k]);
    return tuple;
}

static void drop_converted(const Call *call) {
    if (call->conversions)
        drop_all((void **)call->converted, call->header->inputs);
}

static bool run(const Call *call, void *arena, Borrowed *borrowed) {
    const Header *header = call->header;
    borrowed->arguments = call->arguments;
    borrowed->count = call->argument_count;
    borrowed->are_held = 0;
    return !mlirad_call(header->program, call->buffers, arena, header->releases, header->time_limit, header->threads,
        borrowed, header->holds);
}

// The call ------------------------------------------------------------------------------------------------------------

static bool is_free(Arena *arena) {
    int64_t unused = 0;
    return atomic_compare_exchange_strong_explicit(
        &arena->is_in_use, &unused, 1, memory_order_acquire, memory_order_relaxed);
}

static Object *call_general_path(const Call *call) {
    return PyObject_Vectorcall(
        call->header->general_path, call->arguments, (uint64_t)call->argument_count, NULL);
}

Object *mlirad_entry(Object *self, Object *const *arguments, int64_t count) {
    const Header *header = PyCapsule_GetPointer(self, NULL);
    const int64_t inputs = header->inputs;
    const int64_t outputs = header->outputs;
    Call call = {.header = header, .arguments = arguments, .argument_count = count};
    call.inputs = (const Input *)(header + 1);
    call.outputs = (const Output *)(call.inputs + inputs);
    if (count != inputs + header->given_outs || !mlirad_guards(header->guards, header->guard_count))
        return call_general_path(&call);

    call.buffers = ON_STACK(void *, inputs + outputs + header->constants);
    call.scalars = ON_STACK(uint64_t, inputs + outputs);
    call.destinations = ON_STACK(Array *, outputs);
    call.results = ON_STACK(Object *, outputs);
    call.converted = ON_STACK(Array *, inputs);
    Borrowed *borrowed = __builtin_alloca(sizeof(Borrowed) + (uint64_t)count * sizeof(Object *));
    if (!find_buffers(&call) || (header->destinations && !find_destinations(&call)))
        return call_general_path(&call);
    place_constants(&call);
    Arena *arena = header->arena;
    if (arena && !is_free(arena))
        return call_general_path(&call);

    const bool is_run = make_results(&call) && run(&call, arena ? arena->memory : NULL, borrowed);
    if (arena)
        atomic_store_explicit(&arena->is_in_use, 0, memory_order_release);
    Object *result = NULL;
    if (is_run) {
        if (header->destinations)
            copy_results(&call);
        if (box_scalars(&call))
            result = returned(&call);
    }
    if (!result)
        drop_all((void **)call.results, outputs);
    drop_converted(&call);
    return result;
}
