// Pool adjacent violators: isotonic calibration, and so the convex hull of a ROC curve.
#pragma once
#include <algorithm>
#include <cstddef>
#include <vector>

#include "parallel.hpp"

namespace tallymark {

// In each row of two tables, put neighbouring groups together until the share pos / (pos + neg)
// strictly rises from group to group. A block's counts end up at its last group, zeros before it.
inline void pool(double* pos, double* neg, std::size_t rows, std::size_t groups) {
  std::vector<std::size_t> last;
  for (std::size_t row = 0; row < rows; ++row, pos += groups, neg += groups) {
    last.clear();
    for (std::size_t g = 0; g < groups; ++g) {
      if (pos[g] == 0 && neg[g] == 0) continue;
      // Shares compared as products, so that no division rounds.
      while (!last.empty() && pos[last.back()] * neg[g] >= pos[g] * neg[last.back()]) {
        const std::size_t below = last.back();
        pos[g] += pos[below], neg[g] += neg[below];
        pos[below] = neg[below] = 0;
        last.pop_back();
      }
      last.push_back(g);
    }
  }
}

// A block of pooled groups: the last of them, and the rows of all.
struct Block {
  std::size_t last;
  double pos, neg;
};

// Put n more blocks on a pile, next(i) each, pooled with those below while the share of pos does
// not rise. The pile's end is kept at hand: a compiler would else look it up for every block.
template <class Next>
void push(std::vector<Block>& pile, std::size_t n, Next&& next) {
  std::size_t size = pile.size();
  pile.resize(size + n);
  Block* const all = pile.data();
  for (std::size_t i = 0; i < n; ++i) {
    Block top = next(i);
    if (top.pos == 0 && top.neg == 0) continue;
    for (; size && all[size - 1].pos * top.neg >= top.pos * all[size - 1].neg; --size)
      top.pos += all[size - 1].pos, top.neg += all[size - 1].neg;
    all[size++] = top;
  }
  pile.resize(size);
}

// Neighbouring groups from the first on: their rows, the last of them that has some, and whether
// they surely end up in one block together.
struct Chunk {
  std::size_t first;
  Block all;
  bool inside = false;
};

// Tell which chunks lie inside a block of the hull, and put neighbours that do in one block
// together. Beneath the corners that the chunks' ends make already no corner of the hull can be: a
// chunk all of whose orders stay beneath has none.
inline std::vector<Chunk> found_inside(const std::vector<Chunk>& chunks) {
  std::vector<Block> corners;
  push(corners, chunks.size(), [&](std::size_t c) {
    return Block{c, chunks[c].all.pos, chunks[c].all.neg};
  });
  std::vector<Chunk> out;
  std::size_t c = 0;
  for (const Block& block : corners) {
    double pos = 0, neg = 0;
    bool joins = false;  // what lies inside goes to the chunk before, which is of this block
    for (; c <= block.last; ++c) {
      Chunk next = chunks[c];
      neg += next.all.neg;
      next.inside |= pos * block.neg > block.pos * neg * (1 + 1e-9);  // beyond all rounding
      pos += next.all.pos;
      if (joins && next.inside) {
        Block& all = out.back().all;
        all = {next.all.last, all.pos + next.all.pos, all.neg + next.all.neg};
      } else {
        out.push_back(next);
      }
      joins = next.inside;
    }
  }
  return out;
}

// So many groups are together at first, and at last where a corner of the hull may be.
constexpr std::size_t kCoarsest = 128, kFinest = 8, kParts = 4;

// Chunks of groups, most of which surely end up inside a block.
inline std::vector<Chunk> chunks_of(const double* tp, const double* fp, std::size_t groups) {
  const auto between = [=](std::size_t begin, std::size_t end) -> Chunk {
    const std::size_t above = groups - end, with = groups - begin;
    return {begin, {end - 1, tp[with] - tp[above], fp[with] - fp[above]}};
  };
  std::vector<Chunk> chunks((groups + kCoarsest - 1) / kCoarsest);
  split(chunks.size(), parts(groups), [&](std::size_t, std::size_t first, std::size_t last) {
    for (std::size_t c = first; c < last; ++c)
      chunks[c] = between(c * kCoarsest, std::min(groups, (c + 1) * kCoarsest));
  });
  for (std::size_t size = kCoarsest / kParts; size >= kFinest; size /= kParts) {
    const std::vector<Chunk> found = found_inside(chunks);
    chunks.clear();
    for (const Chunk& chunk : found) {
      const std::size_t end = chunk.all.last + 1;
      if (chunk.inside)
        chunks.push_back(chunk);
      else
        for (std::size_t g = chunk.first; g < end; g += size)
          chunks.push_back(between(g, std::min(end, g + size)));
    }
  }
  return found_inside(chunks);
}

// The blocks of one row of groups, of which tp and fp are the cumulative counts from the last one
// down. Parts are pooled side by side, then their blocks: pooled blocks pool to the same blocks as
// their groups would.
inline std::vector<Block> hull(const double* tp, const double* fp, std::size_t groups) {
  const std::vector<Chunk> chunks = chunks_of(tp, fp, groups);
  const std::size_t count = parts(groups);
  std::vector<std::vector<Block>> piles(count);
  split(chunks.size(), count, [&](std::size_t w, std::size_t first, std::size_t last) {
    std::vector<Block> pile;  // apart from the others, so that no two cores share a line of memory
    for (std::size_t c = first; c < last; ++c) {
      const std::size_t start = chunks[c].first;
      if (chunks[c].inside)
        push(pile, 1, [&](std::size_t) { return chunks[c].all; });
      else
        push(pile, chunks[c].all.last + 1 - start, [&](std::size_t i) {
          const std::size_t g = start + i, k = groups - 1 - g;
          return Block{g, tp[k + 1] - tp[k], fp[k + 1] - fp[k]};
        });
    }
    piles[w] = std::move(pile);
  });
  for (std::size_t w = 1; w < count; ++w)
    push(piles[0], piles[w].size(), [&](std::size_t i) { return piles[w][i]; });
  return std::move(piles[0]);
}

// The blocks of the hull of each of many rows of groups: a table of their rows in either class, as
// wide as the row of most blocks, from the lowest block on and zeros behind the last.
struct Hulls {
  std::vector<double> hits, misses;
  std::vector<std::size_t> ends;
  std::size_t width = 0;

  Hulls(const double* pos, const double* neg, std::size_t rows, std::size_t groups) {
    // As push(), in plain arrays: this is done of hundreds of replicates.
    std::vector<double> row_hits(groups), row_misses(groups);
    for (std::size_t row = 0; row < rows; ++row, pos += groups, neg += groups) {
      std::size_t size = 0;
      for (std::size_t g = 0; g < groups; ++g) {
        double hit = pos[g], miss = neg[g];
        if (hit == 0 && miss == 0) continue;
        for (; size && row_hits[size - 1] * miss >= hit * row_misses[size - 1]; --size)
          hit += row_hits[size - 1], miss += row_misses[size - 1];
        row_hits[size] = hit, row_misses[size] = miss, ++size;
      }
      hits.insert(hits.end(), row_hits.begin(), row_hits.begin() + size);
      misses.insert(misses.end(), row_misses.begin(), row_misses.begin() + size);
      ends.push_back(hits.size());
      width = std::max(width, size);
    }
  }

  void write(double* pos, double* neg) const {
    std::fill_n(pos, width * ends.size(), 0.0);
    std::fill_n(neg, width * ends.size(), 0.0);
    std::size_t begin = 0;
    for (const std::size_t end : ends) {
      std::copy(hits.begin() + begin, hits.begin() + end, pos);
      std::copy(misses.begin() + begin, misses.begin() + end, neg);
      begin = end, pos += width, neg += width;
    }
  }
};

}  // namespace tallymark
