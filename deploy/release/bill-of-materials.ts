import { z } from 'zod';

/** Output of `npm sbom`, as far as it is used. */
export const npmBill = z.looseObject({
  metadata: z.looseObject({ component: z.looseObject({ name: z.string() }) }),
  components: z.array(z.looseObject({ 'bom-ref': z.string() })),
  dependencies: z.array(z.looseObject({ ref: z.string(), dependsOn: z.array(z.string()) })),
});

type NpmBill = z.infer<typeof npmBill>;

const packageLock = z.object({
  packages: z.record(
    z.string(),
    z.object({
      name: z.string().optional(),
      version: z.string().optional(),
      dev: z.boolean().default(false),
      optional: z.boolean().default(false),
      devOptional: z.boolean().default(false),
    }),
  ),
});

export interface BillTerms {
  /** Name of the package; npm uses the name of its folder instead. */
  name: string;
  /** The package-lock.json; undefined if the package has no dependencies to install. */
  lock: unknown;
}

/**
 * Returns npm's bill of materials without the packages that `npm ci --omit=dev --omit=optional` omits. The `--omit`
 * option of `npm sbom` also drops packages that services and tools share (npm 11.19: 48 of 160 packages, pg among
 * them).
 */
export function billOf(bill: NpmBill, { name, lock }: BillTerms): NpmBill {
  const installed = lock === undefined ? new Set<string>() : installedOf(lock);
  const own = z.object({ 'bom-ref': z.string() }).parse(bill.metadata.component)['bom-ref'];
  const isKept = (ref: string) => ref === own || installed.has(ref);
  return {
    ...bill,
    metadata: { ...bill.metadata, component: { ...bill.metadata.component, name } },
    components: bill.components.filter((component) => isKept(component['bom-ref'])),
    dependencies: bill.dependencies
      .filter(({ ref }) => isKept(ref))
      .map((each) => ({ ...each, dependsOn: each.dependsOn.filter(isKept) })),
  };
}

/** Returns `name@version` of each package that is neither a development nor an optional dependency. */
function installedOf(lock: unknown): Set<string> {
  const packages = Object.entries(packageLock.parse(lock).packages).filter(([place]) => place !== '');
  const kept = packages.filter(([, { dev, optional, devOptional }]) => !dev && !optional && !devOptional);
  return new Set(
    kept.map(([place, { name, version = '' }]) => `${name ?? place.split('node_modules/').at(-1)}@${version}`),
  );
}
