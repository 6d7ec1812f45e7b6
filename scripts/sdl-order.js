/** Sorts fields, arguments or values as in the SDL. The schema that plugins get is sorted by name. */
export const sortBySdlOrder = (entries) =>
  [...entries].sort((leftEntry, rightEntry) => {
    const [left, right] = [leftEntry.astNode.loc, rightEntry.astNode.loc];
    return left.source.name === right.source.name
      ? left.start - right.start
      : left.source.name < right.source.name
        ? -1
        : 1;
  });
