import { BreakingChangeType, findBreakingChanges } from 'graphql';

/** Lists the breaking changes between two schemas, a sentence each. */
export function breaks(before, after) {
  const changes = findBreakingChanges(before, after)
    // Directives of the SDL are never written by clients.
    .filter(({ type }) => type !== BreakingChangeType.DIRECTIVE_REMOVED)
    .map(({ description }) => description);
  return [...changes, ...lostScopes(before, after)];
}

/** Lists alternatives of scopes that no longer suffice for a root field. */
function lostScopes(before, after) {
  const currentRules = new Map(scopeRules(after));
  return scopeRules(before).flatMap(([field, alternatives]) => {
    const current = currentRules.get(field);
    return current
      ? alternatives
          .filter((scopes) => !current.includes(scopes))
          .map((scopes) => `${field} is not open to ${scopes} any more.`)
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
        (rule?.values ?? []).map((alternative) =>
          alternative.values
            .map(({ value }) => value)
            .sort()
            .join(' and '),
        ),
      ];
    }),
  );
}
