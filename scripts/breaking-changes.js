import { BreakingChangeType, findBreakingChanges } from 'graphql';

/** Lists the breaking changes between two schemas, each as a sentence. */
export function listBreakingChanges(releasedSchema, currentSchema) {
  const changes = findBreakingChanges(releasedSchema, currentSchema)
    // Directives of the SDL are never written by clients.
    .filter(({ type }) => type !== BreakingChangeType.DIRECTIVE_REMOVED)
    .map(({ description }) => description);
  return [...changes, ...listLostScopes(releasedSchema, currentSchema)];
}

/** Lists scopes that sufficed for a root field and no longer do, each as a sentence. */
function listLostScopes(releasedSchema, currentSchema) {
  const currentRules = new Map(readScopeRules(currentSchema));
  return readScopeRules(releasedSchema).flatMap(([field, alternatives]) => {
    const currentAlternatives = currentRules.get(field);
    return currentAlternatives
      ? alternatives
          .filter((scopes) => !currentAlternatives.includes(scopes))
          .map((scopes) => `${field} is not open to ${scopes} any more.`)
      : [];
  });
}

/** Returns pairs of a root field and the alternatives of `@requiresScopes`, such as `a and b`. */
function readScopeRules(schema) {
  const rootTypes = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()].filter(
    Boolean,
  );
  return rootTypes.flatMap((type) =>
    Object.values(type.getFields()).map(({ name, astNode }) => {
      const scopesArgument = astNode?.directives?.find(
        (directive) => directive.name.value === 'requiresScopes',
      )?.arguments?.[0]?.value;
      return [
        `${type.name}.${name}`,
        (scopesArgument?.values ?? []).map((alternative) =>
          alternative.values
            .map(({ value }) => value)
            .sort()
            .join(' and '),
        ),
      ];
    }),
  );
}
