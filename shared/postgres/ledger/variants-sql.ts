/** SQL of the definitions of the variants that split the users: those of the first step with variants. */
const definedVariants = (c: string) => `jsonb_path_query_first(${c}.definition, '$.chain[*].variants')`;

/**
 * SQL of the variants that split the users, as a list of name and weight; null without variants. Their parameters, up
 * to 64 KiB each, are left out.
 * @param c campaign revision
 */
export const splitVariants = (c: string) => `(
    select json_agg(json_build_object('name', e.variant ->> 'name', 'weight', (e.variant ->> 'weight')::int)
      order by e.place)
    from jsonb_array_elements(${definedVariants(c)}) with ordinality e (variant, place)
  )`;

/** SQL of the name of a feed's variant; null without a variant. @param f feed @param c campaign revision */
export const variantName = (f: string, c: string) => `${definedVariants(c)} -> (${f}.variant - 1) ->> 'name'`;

/** SQL condition: the chain of a campaign revision has variants. */
export const hasVariants = (c: string) => `jsonb_path_exists(${c}.definition, '$.chain[*].variants')`;

/**
 * SQL condition: a person chooses the variant of the feed after the canary
 * (services/trigger/prepare/feeds-by-variant.ts).
 * @param f feed @param r run @param c campaign revision
 */
export const isRemainingFeed = (f: string, r: string, c: string) =>
  `coalesce(${f}.canary_users = 0 and ${endsWithChoice(r, c)}, false)`;

/** SQL condition: a person chooses a variant after the canary of the run. */
export const endsWithChoice = (r: string, c: string) =>
  `(${c}.definition || ${r}.settings) -> 'canary' ->> 'then' = 'choose-variant'`;

/** SQL of the weight of a feed's variant in hundredths of a percent; null without a variant. */
export const variantWeight = (f: string, c: string) =>
  `(${definedVariants(c)} -> (${f}.variant - 1) ->> 'weight')::int`;
