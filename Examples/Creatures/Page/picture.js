// A picture that was chosen or dropped: looked at here, made small once, and sent with its thumbnail.

const maximumBytes = 20 * 1024 * 1024;
const types = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];
/** The longer side of a thumbnail in pixels: a card on a screen with two pixels a point. */
const thumbnailSide = 480;

/** The first file of what was dropped or pasted, undefined where there is none. */
export const fileIn = (transfer) => transfer?.files?.[0];

/** The file with its size in pixels, its thumbnail, and the canvas it was drawn on. Throws what to tell the user if it is no picture. */
export async function prepare(file) {
  if (file.size > maximumBytes) {
    const size = (file.size / 1024 / 1024).toFixed(1);
    throw new Error(`“${file.name}” has ${size} MB. A picture may have at most 20 MB: make it smaller and add it again.`);
  }
  if (file.type && !types.includes(file.type)) throw new Error(`“${file.name}” is not a PNG, JPEG, GIF or WebP picture. Choose another file.`);
  let bitmap;
  try {
    bitmap = await createImageBitmap(file);
  } catch {
    throw new Error(`“${file.name}” cannot be shown: it is damaged, or not a PNG, JPEG, GIF or WebP picture.`);
  }
  const { width, height } = bitmap;
  const canvas = draw(bitmap);
  bitmap.close();
  return { file, width, height, canvas, thumbnail: await encoded(canvas) };
}

/** A thumbnail of a picture that the server has; undefined where it cannot be made. */
export async function thumbnailOf(address) {
  try {
    const response = await fetch(address);
    if (!response.ok) return undefined;
    return (await prepare(new File([await response.blob()], 'picture'))).thumbnail;
  } catch {
    return undefined;
  }
}

function draw(bitmap) {
  const scale = Math.min(1, thumbnailSide / Math.max(bitmap.width, bitmap.height));
  const canvas = document.createElement('canvas');
  canvas.width = Math.max(1, Math.round(bitmap.width * scale));
  canvas.height = Math.max(1, Math.round(bitmap.height * scale));
  const context = canvas.getContext('2d');
  context.imageSmoothingQuality = 'high';
  context.drawImage(bitmap, 0, 0, canvas.width, canvas.height);
  return canvas;
}

/** As WebP, or as PNG from a browser that cannot write WebP. */
const encoded = (canvas) => new Promise((resolve, reject) => {
  canvas.toBlob((blob) => blob ? resolve(blob) : reject(new Error('The picture cannot be made small. Choose another file.')), 'image/webp', 0.85);
});
