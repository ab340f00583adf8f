// The check of guards: whether what a program was made of still stands where it was found. The entry of programs
// calls it, and `Guards.hold` does by way of `mlirad_hold`.

#include "guards.h"

int memcmp(const void *a, const void *b, uint64_t bytes);

INTERNAL OUT_OF_LINE bool mlirad_same_array(
    const Array *array, const Object *dtype, int64_t rank, const int64_t *shape, int mask, int flags) {
    if (array->dtype != dtype || (array->flags & mask) != flags || array->rank != rank)
        return false;
    for (int64_t axis = 0; axis < rank; axis++)
        if (array->shape[axis] != shape[axis])
            return false;
    return true;
}

static bool has_items(const Guard *guard) {
    return !memcmp(guard->list->items, guard->items, (uint64_t)guard->length * sizeof(Object *));
}

// Return whether a dictionary has the keys, or the keys and values in turn, in their order.
static OUT_OF_LINE bool has_entries(const Guard *guard) {
    const bool has_values = guard->kind != GUARD_KEYS;
    Object *const *expected = guard->items;
    Object *key, *value;
    int64_t position = 0;
    int64_t count = 0;
    for (; PyDict_Next(guard->object, &position, &key, &value); count++) {
        if (count == guard->length)
            return guard->kind == GUARD_GROWING_DICT;
        if (key != *expected++ || (has_values && value != *expected++))
            return false;
    }
    return count == guard->length;
}

static bool has_attribute(const Guard *guard) {
    Object *found = PyObject_GetAttr(guard->object, guard->name);
    if (found)
        Py_DecRef(found);
    else
        PyErr_Clear();
    return found == guard->expected;
}

static bool has_elements(const Guard *guard) {
    const ExpectedArray *expected = guard->elements;
    const Array *array = guard->array;
    return mlirad_same_array(array, expected->dtype, expected->rank, expected->shape, -1, (int)expected->flags) &&
           !memcmp(array->data, expected->copy, expected->bytes);
}

static OUT_OF_LINE bool answers_true(Object *function) {
    Object *answer = PyObject_CallNoArgs(function);
    if (!answer) {
        PyErr_Clear();
        return false;
    }
    Py_DecRef(answer);
    return answer == &_Py_TrueStruct;
}

static bool holds(const Guard *guard) {
    switch (guard->kind) {
    case GUARD_WORD:
        return *guard->word == guard->expected;
    case GUARD_ITEM:
        return PyDict_GetItem(guard->object, guard->name) == guard->expected;
    case GUARD_LIST:
        return guard->list->size == guard->length && has_items(guard);
    case GUARD_GROWING_LIST:
        return guard->list->size >= guard->length && has_items(guard);
    case GUARD_DICT:
    case GUARD_GROWING_DICT:
    case GUARD_KEYS:
        return has_entries(guard);
    case GUARD_ATTRIBUTE:
        return has_attribute(guard);
    case GUARD_ARRAY:
        return has_elements(guard);
    case GUARD_CALL:
        return answers_true(guard->object);
    case GUARD_CLASS:
        return *guard->version == *guard->expected_version || answers_true(guard->function);
    default:
        return false;
    }
}

INTERNAL bool mlirad_guards(const Guard *guards, int64_t count) {
    for (int64_t k = 0; k < count; k++)
        if (!holds(&guards[k]))
            return false;
    return true;
}

// The content of a capsule of `Guards.hold`.
typedef struct {
    const Guard *guards;
    int64_t count;
} GuardTable;

// `Guards.hold` as a function of Python.
Object *mlirad_hold(Object *self, Object *const *arguments, int64_t count) {
    (void)arguments, (void)count;
    const GuardTable *table = PyCapsule_GetPointer(self, NULL);
    Object *answer = mlirad_guards(table->guards, table->count) ? &_Py_TrueStruct : &_Py_FalseStruct;
    Py_IncRef(answer);
    return answer;
}
