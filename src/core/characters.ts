/** Whether a text has more than `limit` characters: Unicode code points, so that an emoji counts as one. */
export const isLonger = (text: string, limit: number): boolean => text.length > limit && charactersIn(text) > limit;

export const charactersIn = (text: string): number => [...text].length;

const encoder = new TextEncoder();

/** How many bytes a string takes in UTF-8. */
export const bytesIn = (text: string): number => encoder.encode(text).length;
