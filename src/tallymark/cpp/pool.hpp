// Pool adjacent violators: isotonic calibration, and so the convex hull of a ROC curve.
#pragma once
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

// Put a block on the pile, pooled with those below it while the share of pos does not rise.
inline void push(std::vector<Block>& pile, Block next) {
  if (next.pos == 0 && next.neg == 0) return;
  while (!pile.empty() && pile.back().pos * next.neg >= next.pos * pile.back().neg) {
    next.pos += pile.back().pos, next.neg += pile.back().neg;
    pile.pop_back();
  }
  pile.push_back(next);
}

constexpr std::size_t kChunk = 32;

// Neighbouring groups, kChunk at a time: their rows, the last of them that has some, and whether
// they surely end up in one block together.
struct Chunk {
  Block all;
  bool inside;
};

// Tell which chunks lie inside a block of the hull. Beneath the corners that the chunks' ends make
// already no corner of the hull can be: a chunk all of whose orders stay beneath has none.
inline void find_inside(std::vector<Chunk>& chunks) {
  std::vector<Block> corners;
  for (std::size_t c = 0; c < chunks.size(); ++c)
    push(corners, {c, chunks[c].all.pos, chunks[c].all.neg});
  std::size_t c = 0;
  for (const Block& block : corners) {
    double pos = 0, neg = 0;
    for (; c <= block.last; ++c) {
      const Block& all = chunks[c].all;
      neg += all.neg;
      chunks[c].inside = pos * block.neg > block.pos * neg * (1 + 1e-9);  // beyond all rounding
      pos += all.pos;
    }
  }
}

// The blocks of one long row of groups. Parts are pooled side by side, then their blocks: pooled
// blocks pool to the same blocks as their groups would. Of groups of whole rows, none without one,
// tp and fp are their running sums from the last one down, which tell those of chunks at once, and
// of every group where there is no pos and neg.
inline std::vector<Block> hull(const double* pos, const double* neg, std::size_t groups,
                               const double* tp, const double* fp) {
  std::vector<Chunk> chunks((groups + kChunk - 1) / kChunk);
  const auto end_of = [=](std::size_t c) { return std::min(groups, (c + 1) * kChunk); };
  const std::size_t count = parts(groups);
  split(chunks.size(), count, [&](std::size_t, std::size_t first, std::size_t last) {
    for (std::size_t c = first; c < last; ++c) {
      if (tp) {
        const std::size_t from = groups - end_of(c), to = groups - c * kChunk;
        chunks[c] = {{end_of(c) - 1, tp[to] - tp[from], fp[to] - fp[from]}, false};
        continue;
      }
      Block all{c * kChunk, 0, 0};
      for (std::size_t g = c * kChunk; g < end_of(c); ++g) {
        all.pos += pos[g], all.neg += neg[g];
        if (pos[g] != 0 || neg[g] != 0) all.last = g;
      }
      chunks[c] = {all, false};
    }
  });
  find_inside(chunks);
  std::vector<std::vector<Block>> piles(count);
  split(chunks.size(), count, [&](std::size_t w, std::size_t first, std::size_t last) {
    for (std::size_t c = first; c < last; ++c) {
      if (chunks[c].inside) {
        push(piles[w], chunks[c].all);
        continue;
      }
      for (std::size_t g = c * kChunk; g < end_of(c); ++g) {
        if (pos) {
          push(piles[w], {g, pos[g], neg[g]});
          continue;
        }
        const std::size_t k = groups - 1 - g;
        push(piles[w], {g, tp[k + 1] - tp[k], fp[k + 1] - fp[k]});
      }
    }
  });
  for (std::size_t w = 1; w < count; ++w)
    for (const Block& block : piles[w]) push(piles[0], block);
  return std::move(piles[0]);
}

// Write the blocks of a few groups of whole rows: the score of the last group, the rows of the one
// class and of pos, and how many of both the k highest blocks hold, k from 0 up. Returns how many
// blocks there are.
inline std::size_t hull_few(const double* scores, const double* pos, const double* neg,
                            std::size_t groups, double* const (&out)[5]) {
  std::vector<Block> pile;
  pile.reserve(groups);
  for (std::size_t g = 0; g < groups; ++g) push(pile, {g, pos[g], neg[g]});
  for (std::size_t i = 0; i < pile.size(); ++i) {
    out[0][i] = scores[pile[i].last];
    out[1][i] = pile[i].neg;
    out[2][i] = pile[i].pos;
  }
  double fp = 0, tp = 0;
  for (std::size_t k = 0; k <= pile.size(); ++k) {
    out[3][k] = fp, out[4][k] = tp;
    if (k < pile.size()) fp += pile[pile.size() - 1 - k].neg, tp += pile[pile.size() - 1 - k].pos;
  }
  return pile.size();
}

}  // namespace tallymark
