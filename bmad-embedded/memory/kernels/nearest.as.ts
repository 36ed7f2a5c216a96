/**
 * Compares many stored vectors with one: the dot products of a matrix of bytes with a vector.
 *
 * AssemblyScript, compiled by kernels.ts. Exact, because it adds and multiplies integers without overflow: the caller
 * (src/project/kit/memory/recall/vectors.ts) limits the numbers of the one vector to 15 bits and the sum of its lane to 31.
 */

/**
 * products[i] = scales[i] · Σ rows[i][j] · vector[j], with `columns` a multiple of 16.
 *
 * Offsets are in bytes: `rows` are i8, `vector` i16, `scales` and `products` f32.
 */
export function multiply(
  rows: usize,
  scales: usize,
  vector: usize,
  products: usize,
  count: i32,
  columns: i32,
): void {
  for (let row = 0; row < count; row++) {
    let low = i32x4.splat(0), high = low;
    for (let at = vector, end = vector + (<usize> columns << 1); at < end; at += 32, rows += 16) {
      const bytes = v128.load(rows);
      low = i32x4.add(low, i32x4.dot_i16x8_s(i16x8.extend_low_i8x16_s(bytes), v128.load(at)));
      high = i32x4.add(high, i32x4.dot_i16x8_s(i16x8.extend_high_i8x16_s(bytes), v128.load(at, 16)));
    }
    const sums = f32x4.add(f32x4.convert_i32x4_s(low), f32x4.convert_i32x4_s(high));
    const sum = f32x4.extract_lane(sums, 0) + f32x4.extract_lane(sums, 1) + f32x4.extract_lane(sums, 2) +
      f32x4.extract_lane(sums, 3);
    store<f32>(products, sum * load<f32>(scales));
    scales += 4;
    products += 4;
  }
}
