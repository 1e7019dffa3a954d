import { expect, it } from 'vitest';
import { buildPlan, publishPlan } from './plan.ts';
import { shown } from './run-steps.ts';

const terms = { version: '0.2.0', commit: 'c0ffee', out: '/out', helm: 'helm' };
const image = [
  'docker buildx build --platform linux/amd64,linux/arm64 --provenance=mode=max --sbom=true',
  '--file deploy/Dockerfile --label org.opencontainers.image.revision=c0ffee',
].join(' ');

it('builds image, chart and SDK with what they consist of, and their checksums last', () => {
  expect(buildPlan(terms).map((step) => shown(step))).toEqual([
    'node deploy/release/write-bill.ts . application /out/muster-0.2.0-image.cdx.json',
    'node deploy/release/write-bill.ts sdk library /out/muster-sdk-0.2.0.cdx.json',
    '(cd sdk && npm pack --pack-destination /out)',
    'helm package deploy/helm/muster --destination /out',
    `${image} --tag muster:0.2.0 --output type=oci,dest=/out/muster-0.2.0-image.oci.tar .`,
    'node deploy/release/write-checksums.ts /out',
  ]);
});

it('publishes what was built, and makes the tag when all of it is there', () => {
  expect(publishPlan(terms, 'registry.test/acme').map((step) => shown(step))).toEqual([
    `${image} --tag registry.test/acme/muster:0.2.0 --push --metadata-file /out/pushed-image.json .`,
    'helm push /out/muster-0.2.0.tgz oci://registry.test/acme/charts',
    'npm publish /out/muster-sdk-0.2.0.tgz --access public',
    `git tag -a v0.2.0 -m 'Muster 0.2.0' c0ffee`,
    'git push origin v0.2.0',
  ]);
});

it('what comes before a version is not what others get who name none', () => {
  const published = publishPlan({ ...terms, version: '0.2.0-rc.1' }, 'registry.test/acme').map((step) => shown(step));
  expect(published).toContain('npm publish /out/muster-sdk-0.2.0-rc.1.tgz --access public --tag next');
});
