/**
 * Draws the icon for catalogues: one server and its agents.
 *
 * Pure arithmetic: the distance of each pixel from a few shapes. The PNG is written by hand, so that the repository
 * needs no image file; the same Deno gives the same bytes.
 */
import { crc32, deflateSync } from "node:zlib";

/** In pixels: the minimum of the catalogues of desktop clients and plugins. */
export const ICON_SIZE = 512;

type Colour = readonly [red: number, green: number, blue: number];
type Point = readonly [x: number, y: number];
/** The distance of a point from the edge of a shape; negative inside. */
type Shape = (point: Point) => number;

const TOP: Colour = [30, 58, 95];
const BOTTOM: Colour = [14, 116, 124];
const INK: Colour = [255, 255, 255];

const HUB: Point = [160, 256];
const AGENTS: readonly Point[] = [[352, 132], [376, 256], [352, 380]];

const TILE = box([256, 256], 256, 112);
const MARKS: readonly Shape[] = [
  circle(HUB, 60),
  ...AGENTS.map((agent) => circle(agent, 38)),
  ...AGENTS.map((agent) => line(HUB, agent, 11)),
];

/** The icon as a PNG file. */
export function drawIcon(): Uint8Array {
  const stride = 1 + ICON_SIZE * 4;
  // Each line begins with its filter type: 0 is none.
  const pixels = new Uint8Array(stride * ICON_SIZE);
  for (let y = 0; y < ICON_SIZE; y++) {
    for (let x = 0; x < ICON_SIZE; x++) {
      pixels.set(colourAt([x + 0.5, y + 0.5]), y * stride + 1 + x * 4);
    }
  }
  const head = new Uint8Array(13);
  const view = new DataView(head.buffer);
  view.setUint32(0, ICON_SIZE);
  view.setUint32(4, ICON_SIZE);
  // 8 bits per channel, RGBA.
  head.set([8, 6], 8);
  const signature = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];
  const chunks = [chunk("IHDR", head), chunk("IDAT", deflateSync(pixels, { level: 9 })), chunk("IEND", [])];
  return new Uint8Array([signature, ...chunks].flatMap((part) => [...part]));
}

function colourAt(point: Point): readonly number[] {
  const ink = cover(Math.min(...MARKS.map((distance) => distance(point))));
  const share = point[1] / ICON_SIZE;
  const mixed = INK.map((full, at) => {
    const ground = TOP[at]! + (BOTTOM[at]! - TOP[at]!) * share;
    return Math.round(ground + (full - ground) * ink);
  });
  return [...mixed, Math.round(255 * cover(TILE(point)))];
}

/** The share of a pixel that a shape covers, for smooth edges. */
function cover(distance: number): number {
  return Math.min(1, Math.max(0, 0.5 - distance));
}

function circle([cx, cy]: Point, radius: number): Shape {
  return ([x, y]) => Math.hypot(x - cx, y - cy) - radius;
}

/** A line with round ends. */
function line([ax, ay]: Point, [bx, by]: Point, radius: number): Shape {
  const [dx, dy] = [bx - ax, by - ay];
  return ([x, y]) => {
    const along = Math.min(1, Math.max(0, ((x - ax) * dx + (y - ay) * dy) / (dx * dx + dy * dy)));
    return Math.hypot(x - ax - dx * along, y - ay - dy * along) - radius;
  };
}

/** A square with round corners; `half` is half its width. */
function box([cx, cy]: Point, half: number, corner: number): Shape {
  return ([x, y]) => {
    const [dx, dy] = [Math.abs(x - cx) - half + corner, Math.abs(y - cy) - half + corner];
    return Math.hypot(Math.max(dx, 0), Math.max(dy, 0)) + Math.min(Math.max(dx, dy), 0) - corner;
  };
}

function chunk(name: string, content: ArrayLike<number>): Uint8Array {
  const bytes = new Uint8Array(12 + content.length);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, content.length);
  bytes.set(new TextEncoder().encode(name), 4);
  bytes.set(content, 8);
  view.setUint32(8 + content.length, crc32(bytes.subarray(4, 8 + content.length)));
  return bytes;
}
