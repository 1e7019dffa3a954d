/** SQL of the variants that split the users: those of the first step with variants. @param c campaign revision */
export const splitVariants = (c: string) => `jsonb_path_query_first(${c}.definition, '$.chain[*].variants')`;

/** SQL of the name of a feed's variant; null without a variant. @param f feed @param c campaign revision */
export const variantName = (f: string, c: string) => `${splitVariants(c)} -> (${f}.variant - 1) ->> 'name'`;

/** SQL of the weight of a feed's variant in hundredths of a percent; null without a variant. */
export const variantWeight = (f: string, c: string) => `(${splitVariants(c)} -> (${f}.variant - 1) ->> 'weight')::int`;
