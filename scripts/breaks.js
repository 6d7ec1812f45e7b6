import { BreakingChangeType, findBreakingChanges } from 'graphql';

/** What clients of one schema could do and cannot do with another, a sentence each. */
export function breaks(before, after) {
  const changes = findBreakingChanges(before, after)
    // Only documents are written by clients.
    .filter(({ type }) => type !== BreakingChangeType.DIRECTIVE_REMOVED)
    .map(({ description }) => description);
  return [...changes, ...lostScopes(before, after)];
}

/** Alternatives of scopes that opened a root field and do not any more. */
function lostScopes(before, after) {
  const now = new Map(scopeRules(after));
  return scopeRules(before).flatMap(([field, alternatives]) => {
    const left = now.get(field);
    return left
      ? alternatives
          .filter((one) => !left.includes(one))
          .map((one) => `${field} is not open to ${one} any more.`)
      : [];
  });
}

function scopeRules(schema) {
  const roots = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()].filter(
    Boolean,
  );
  return roots.flatMap((type) =>
    Object.values(type.getFields()).map(({ name, astNode }) => {
      const rule = astNode?.directives?.find((directive) => directive.name.value === 'requiresScopes')
        ?.arguments?.[0]?.value;
      return [
        `${type.name}.${name}`,
        (rule?.values ?? []).map((all) =>
          all.values
            .map(({ value }) => value)
            .sort()
            .join(' and '),
        ),
      ];
    }),
  );
}
