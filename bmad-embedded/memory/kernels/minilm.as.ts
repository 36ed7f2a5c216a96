/**
 * The arithmetic of a small BERT in WebAssembly: the operations of a layer on the rows of numbers that represent tokens.
 *
 * AssemblyScript, compiled twice by kernels.ts: with relaxed SIMD, where multiply and add are one instruction, and
 * without. Arguments are byte offsets into the caller's memory, and numbers of rows and columns; every matrix is f32,
 * row by row, and starts at a multiple of 16. The caller (src/project/kit/memory/embed/encoder.ts) knows the layout of the
 * memory. Nothing is checked here.
 */

/** The numbers in a token's row, its bytes, and the bytes of one attention head. */
const WIDTH = 384;
const ROW_BYTES: usize = WIDTH * 4;
const HEADS = 12;
const HEAD_BYTES: usize = ROW_BYTES / HEADS;
/** 1 / √(numbers per head), and the term that avoids a division by zero variance: both are the model's. */
const HEAD_SCALE: f32 = 0.17677669529663687;
const EPSILON: f64 = 1e-12;

/** a · b + c */
function multiplyAdd(a: v128, b: v128, c: v128): v128 {
  if (ASC_FEATURE_RELAXED_SIMD) return f32x4.relaxed_madd(a, b, c);
  return f32x4.add(f32x4.mul(a, b), c);
}

function sumOf(v: v128): f32 {
  return f32x4.extract_lane(v, 0) + f32x4.extract_lane(v, 1) + f32x4.extract_lane(v, 2) +
    f32x4.extract_lane(v, 3);
}

function sumsOf(a: v128, b: v128, c: v128, d: v128): v128 {
  return f32x4(sumOf(a), sumOf(b), sumOf(c), sumOf(d));
}

/** Multiplies bytes by the scale of their group, to f32. `size` is a multiple of 4. */
export function dequantise(bytes: usize, scales: usize, to: usize, groups: i32, size: i32): void {
  for (let group = 0; group < groups; group++) {
    const scale = v128.load32_splat(scales + (<usize> group << 2));
    for (let i = 0; i < size; i += 4) {
      const wide = i32x4.extend_low_i16x8_s(i16x8.extend_low_i8x16_s(v128.load32_zero(bytes)));
      v128.store(to, f32x4.mul(f32x4.convert_i32x4_s(wide), scale));
      bytes += 4;
      to += 16;
    }
  }
}

/**
 * y = x · wᵀ + bias, where x has `rows` rows and w has `outputs` rows, both of `inputs` numbers.
 *
 * All three are multiples of 4: sixteen results are computed at once, so that each loaded number is used four times.
 */
export function linear(
  x: usize,
  w: usize,
  bias: usize,
  y: usize,
  rows: i32,
  inputs: i32,
  outputs: i32,
): void {
  const inputBytes = <usize> inputs << 2, outputBytes = <usize> outputs << 2;
  for (let output = 0; output < outputs; output += 4) {
    const w0 = w + <usize> output * inputBytes;
    const w1 = w0 + inputBytes, w2 = w1 + inputBytes, w3 = w2 + inputBytes;
    const offset = <usize> output << 2;
    const start = v128.load(bias + offset);
    for (let row = 0; row < rows; row += 4) {
      const x0 = x + <usize> row * inputBytes;
      const x1 = x0 + inputBytes, x2 = x1 + inputBytes, x3 = x2 + inputBytes;
      let a0 = f32x4.splat(0), a1 = a0, a2 = a0, a3 = a0;
      let b0 = a0, b1 = a0, b2 = a0, b3 = a0;
      let c0 = a0, c1 = a0, c2 = a0, c3 = a0;
      let d0 = a0, d1 = a0, d2 = a0, d3 = a0;
      for (let k: usize = 0; k < inputBytes; k += 16) {
        const p0 = v128.load(w0 + k), p1 = v128.load(w1 + k);
        const p2 = v128.load(w2 + k), p3 = v128.load(w3 + k);
        let q = v128.load(x0 + k);
        a0 = multiplyAdd(q, p0, a0);
        a1 = multiplyAdd(q, p1, a1);
        a2 = multiplyAdd(q, p2, a2);
        a3 = multiplyAdd(q, p3, a3);
        q = v128.load(x1 + k);
        b0 = multiplyAdd(q, p0, b0);
        b1 = multiplyAdd(q, p1, b1);
        b2 = multiplyAdd(q, p2, b2);
        b3 = multiplyAdd(q, p3, b3);
        q = v128.load(x2 + k);
        c0 = multiplyAdd(q, p0, c0);
        c1 = multiplyAdd(q, p1, c1);
        c2 = multiplyAdd(q, p2, c2);
        c3 = multiplyAdd(q, p3, c3);
        q = v128.load(x3 + k);
        d0 = multiplyAdd(q, p0, d0);
        d1 = multiplyAdd(q, p1, d1);
        d2 = multiplyAdd(q, p2, d2);
        d3 = multiplyAdd(q, p3, d3);
      }
      const to = y + <usize> row * outputBytes + offset;
      v128.store(to, f32x4.add(start, sumsOf(a0, a1, a2, a3)));
      v128.store(to + outputBytes, f32x4.add(start, sumsOf(b0, b1, b2, b3)));
      v128.store(to + 2 * outputBytes, f32x4.add(start, sumsOf(c0, c1, c2, c3)));
      v128.store(to + 3 * outputBytes, f32x4.add(start, sumsOf(d0, d1, d2, d3)));
    }
  }
}

/** x = normalised(x + added) · gain + bias; each row of WIDTH numbers has its own mean and variance. */
export function addAndNormalise(x: usize, added: usize, gain: usize, bias: usize, rows: i32): void {
  for (let row = 0; row < rows; row++) {
    let sum = f32x4.splat(0);
    for (let i: usize = 0; i < ROW_BYTES; i += 16) {
      const value = f32x4.add(v128.load(x + i), v128.load(added + i));
      v128.store(x + i, value);
      sum = f32x4.add(sum, value);
    }
    const mean = f32x4.splat(sumOf(sum) / <f32> WIDTH);
    let squares = f32x4.splat(0);
    for (let i: usize = 0; i < ROW_BYTES; i += 16) {
      const difference = f32x4.sub(v128.load(x + i), mean);
      squares = multiplyAdd(difference, difference, squares);
    }
    const variance = <f64> (sumOf(squares) / <f32> WIDTH);
    const factor = f32x4.splat(<f32> (1 / Math.sqrt(variance + EPSILON)));
    for (let i: usize = 0; i < ROW_BYTES; i += 16) {
      const normal = f32x4.mul(f32x4.sub(v128.load(x + i), mean), factor);
      v128.store(x + i, multiplyAdd(normal, v128.load(gain + i), v128.load(bias + i)));
    }
    x += ROW_BYTES;
    added += ROW_BYTES;
  }
}

/** e to the power of each number: a power of two through the exponent bits, the rest by a series of six terms. */
function exponential(x: v128): v128 {
  const bounded = f32x4.max(f32x4.min(x, f32x4.splat(88)), f32x4.splat(-87));
  const twos = f32x4.nearest(f32x4.mul(bounded, f32x4.splat(1.44269504088896)));
  const rest = f32x4.sub(bounded, f32x4.mul(twos, f32x4.splat(0.6931471824645996)));
  let sum = f32x4.splat(0.0013888889);
  sum = multiplyAdd(sum, rest, f32x4.splat(0.0083333333));
  sum = multiplyAdd(sum, rest, f32x4.splat(0.041666667));
  sum = multiplyAdd(sum, rest, f32x4.splat(0.16666667));
  sum = multiplyAdd(sum, rest, f32x4.splat(0.5));
  sum = multiplyAdd(sum, rest, f32x4.splat(1));
  sum = multiplyAdd(sum, rest, f32x4.splat(1));
  const power = i32x4.shl(i32x4.add(i32x4.trunc_sat_f32x4_s(twos), i32x4.splat(127)), 23);
  return f32x4.mul(sum, power);
}

/** x = x · Φ(x) in place; `count` is a multiple of 4. erf by Abramowitz and Stegun 7.1.26. */
export function gelu(x: usize, count: i32): void {
  const one = f32x4.splat(1), half = f32x4.splat(0.5);
  for (const end = x + (<usize> count << 2); x < end; x += 16) {
    const value = v128.load(x);
    const u = f32x4.mul(value, f32x4.splat(0.7071067811865476));
    const size = f32x4.abs(u);
    const t = f32x4.div(one, multiplyAdd(size, f32x4.splat(0.3275911), one));
    let sum = f32x4.splat(1.061405429);
    sum = multiplyAdd(sum, t, f32x4.splat(-1.453152027));
    sum = multiplyAdd(sum, t, f32x4.splat(1.421413741));
    sum = multiplyAdd(sum, t, f32x4.splat(-0.284496736));
    sum = multiplyAdd(sum, t, f32x4.splat(0.254829592));
    const tail = f32x4.mul(f32x4.mul(sum, t), exponential(f32x4.neg(f32x4.mul(size, size))));
    const erfOfSize = f32x4.sub(one, tail);
    const erf = v128.bitselect(erfOfSize, f32x4.neg(erfOfSize), f32x4.ge(u, f32x4.splat(0)));
    v128.store(x, f32x4.mul(f32x4.mul(value, half), f32x4.add(one, erf)));
  }
}

/**
 * Attention: for each head, `to` = softmax(queries · keysᵀ · HEAD_SCALE) · values.
 *
 * The four matrices have `tokens` rows of WIDTH numbers; `shares` has room for `tokens` numbers, rounded up to a
 * multiple of 4.
 */
export function attend(
  queries: usize,
  keys: usize,
  values: usize,
  to: usize,
  shares: usize,
  tokens: i32,
): void {
  const end = shares + (<usize> tokens << 2);
  const paddedEnd = (end + 15) & ~15;
  for (let head = 0; head < HEADS; head++) {
    const part = <usize> head * HEAD_BYTES;
    for (let token = 0; token < tokens; token++) {
      const query = queries + <usize> token * ROW_BYTES + part;
      const largest = compare(query, keys + part, shares, end);
      for (let at = end; at < paddedEnd; at += 4) store<f32>(at, -Infinity);
      let sum = f32x4.splat(0);
      for (let at = shares; at < paddedEnd; at += 16) {
        const share = exponential(f32x4.sub(v128.load(at), f32x4.splat(largest)));
        v128.store(at, share);
        sum = f32x4.add(sum, share);
      }
      mix(shares, end, <f32> 1 / sumOf(sum), values + part, to + <usize> token * ROW_BYTES + part);
    }
  }
}

/** Writes the scaled dot product of a query with each key, and returns the largest. */
function compare(query: usize, key: usize, at: usize, end: usize): f32 {
  const q0 = v128.load(query), q1 = v128.load(query, 16), q2 = v128.load(query, 32);
  const q3 = v128.load(query, 48), q4 = v128.load(query, 64), q5 = v128.load(query, 80);
  const q6 = v128.load(query, 96), q7 = v128.load(query, 112);
  let largest: f32 = -Infinity;
  for (; at < end; at += 4, key += ROW_BYTES) {
    let sum = f32x4.mul(q0, v128.load(key));
    sum = multiplyAdd(q1, v128.load(key, 16), sum);
    sum = multiplyAdd(q2, v128.load(key, 32), sum);
    sum = multiplyAdd(q3, v128.load(key, 48), sum);
    sum = multiplyAdd(q4, v128.load(key, 64), sum);
    sum = multiplyAdd(q5, v128.load(key, 80), sum);
    sum = multiplyAdd(q6, v128.load(key, 96), sum);
    sum = multiplyAdd(q7, v128.load(key, 112), sum);
    const fit = sumOf(sum) * HEAD_SCALE;
    store<f32>(at, fit);
    if (fit > largest) largest = fit;
  }
  return largest;
}

/** Writes the sum of all values, weighted by their shares and `factor`. */
function mix(at: usize, end: usize, factor: f32, value: usize, to: usize): void {
  let s0 = f32x4.splat(0), s1 = s0, s2 = s0, s3 = s0, s4 = s0, s5 = s0, s6 = s0, s7 = s0;
  for (; at < end; at += 4, value += ROW_BYTES) {
    const share = f32x4.splat(load<f32>(at) * factor);
    s0 = multiplyAdd(share, v128.load(value), s0);
    s1 = multiplyAdd(share, v128.load(value, 16), s1);
    s2 = multiplyAdd(share, v128.load(value, 32), s2);
    s3 = multiplyAdd(share, v128.load(value, 48), s3);
    s4 = multiplyAdd(share, v128.load(value, 64), s4);
    s5 = multiplyAdd(share, v128.load(value, 80), s5);
    s6 = multiplyAdd(share, v128.load(value, 96), s6);
    s7 = multiplyAdd(share, v128.load(value, 112), s7);
  }
  v128.store(to, s0);
  v128.store(to, s1, 16);
  v128.store(to, s2, 32);
  v128.store(to, s3, 48);
  v128.store(to, s4, 64);
  v128.store(to, s5, 80);
  v128.store(to, s6, 96);
  v128.store(to, s7, 112);
}
