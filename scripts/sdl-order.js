/** Fields, arguments or values as the SDL has them: the schema that plugins get is sorted by name. */
export const inSdlOrder = (entries) =>
  [...entries].sort((a, b) => {
    const [one, other] = [a.astNode.loc, b.astNode.loc];
    return one.source.name === other.source.name
      ? one.start - other.start
      : one.source.name < other.source.name
        ? -1
        : 1;
  });
