// Blocks of memory that are gone and kept for others of the same size to come. Whoever finds another thread in a
// keeper goes past it, so there is nothing to wait for, and a child that is forked in here loses no more than blocks.

#ifndef MLIRAD_KEPT_BLOCKS_H
#define MLIRAD_KEPT_BLOCKS_H

#include <stdatomic.h>

#include "attributes.h"
#include "generated/constants.h"

typedef struct Block Block;

// The neighbours of a block in one of the lists that it is in.
typedef struct {
    Block *newer;
    Block *older;
} Links;

// The header of a block while it is kept.
struct Block {
    uint64_t bytes;
    Links all; // of the keeper
    Links bin; // of its size, and of others with the same hash
};

typedef struct {
    Block *newest;
    Block *oldest;
} List;

enum { BIN_BITS = 6, BINS = 1 << BIN_BITS };

typedef struct {
    uint64_t bytes; // that are kept
    _Atomic(int64_t) is_busy;
    List all;
    List bins[BINS];
} Keeper;

// Gives a block back to where it came from.
typedef void GiveBack(void *memory, uint64_t bytes);

static bool enters(Keeper *keeper) {
    int64_t nobody = 0;
    return atomic_compare_exchange_strong_explicit(
        &keeper->is_busy, &nobody, 1, memory_order_acquire, memory_order_relaxed);
}

static void leave(Keeper *keeper) { atomic_store_explicit(&keeper->is_busy, 0, memory_order_release); }

// Multiplying by 2^64 over the golden ratio spreads sizes that differ by little, and those that double.
static List *bin_of(Keeper *keeper, uint64_t bytes) {
    return &keeper->bins[(bytes * 0x9E3779B97F4A7C15u) >> (64 - BIN_BITS)];
}

static Links *links_of(Block *block, bool in_bin) { return in_bin ? &block->bin : &block->all; }

static void enlist(List *list, Block *block, bool in_bin) {
    Links *links = links_of(block, in_bin);
    links->newer = NULL;
    links->older = list->newest;
    if (list->newest)
        links_of(list->newest, in_bin)->newer = block;
    else
        list->oldest = block;
    list->newest = block;
}

static void delist(List *list, Block *block, bool in_bin) {
    const Links *links = links_of(block, in_bin);
    if (links->newer)
        links_of(links->newer, in_bin)->older = links->older;
    else
        list->newest = links->older;
    if (links->older)
        links_of(links->older, in_bin)->newer = links->newer;
    else
        list->oldest = links->newer;
}

static void *taken(Keeper *keeper, Block *block) {
    delist(&keeper->all, block, false);
    delist(bin_of(keeper, block->bytes), block, true);
    keeper->bytes -= block->bytes;
    return block;
}

static OUT_OF_LINE void *find_kept(Keeper *keeper, uint64_t bytes) {
    for (Block *block = bin_of(keeper, bytes)->newest; block; block = block->bin.older)
        if (block->bytes == bytes)
            return taken(keeper, block);
    return NULL;
}

// Return the newest block of a size that is kept, or null.
static void *take_kept(Keeper *keeper, uint64_t bytes) {
    if (!enters(keeper))
        return NULL;
    void *kept = find_kept(keeper, bytes);
    leave(keeper);
    return kept;
}

// Give back the oldest blocks until no more than `most` bytes are kept.
static OUT_OF_LINE void shrink(Keeper *keeper, uint64_t most, GiveBack *give_back) {
    while (keeper->bytes > most) {
        const uint64_t dropped = keeper->all.oldest->bytes;
        give_back(taken(keeper, keeper->all.oldest), dropped);
    }
}

// Give back all blocks, as there is no memory left. Return whether there was one.
static OUT_OF_LINE COLD bool give_all_back(Keeper *keeper, GiveBack *give_back) {
    if (!enters(keeper))
        return false;
    const bool any = keeper->bytes;
    shrink(keeper, 0, give_back);
    leave(keeper);
    return any;
}

// Keep a block, and give back as many of the oldest as are too many with it.
static OUT_OF_LINE void put(Keeper *keeper, void *memory, uint64_t bytes, GiveBack *give_back) {
    shrink(keeper, KEPT_BYTES - bytes, give_back);
    Block *block = memory;
    block->bytes = bytes;
    enlist(&keeper->all, block, false);
    enlist(bin_of(keeper, bytes), block, true);
    keeper->bytes += bytes;
}

// Keep a block, or give it back if it is too large.
static void keep(Keeper *keeper, void *memory, uint64_t bytes, GiveBack *give_back) {
    if (bytes > KEPT_BYTES || !enters(keeper)) {
        give_back(memory, bytes);
        return;
    }
    put(keeper, memory, bytes, give_back);
    leave(keeper);
}

#endif
