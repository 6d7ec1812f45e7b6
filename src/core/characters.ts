/** Whether a text has more than `limit` characters: Unicode code points, so that an emoji counts as one. */
export const isLonger = (text: string, limit: number): boolean => text.length > limit && charactersIn(text) > limit;

export const charactersIn = (text: string): number => [...text].length;
