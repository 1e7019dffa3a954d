import { expect, it } from 'vitest';
import { buildPlan, publishPlan } from './plan.ts';
import { commandText } from './run-steps.ts';

const terms = { version: '0.2.0', commit: 'c0ffee', out: '/out', helm: 'helm' };
const image = [
  'docker buildx build --platform linux/amd64,linux/arm64 --provenance=mode=max --sbom=true',
  '--file deploy/Dockerfile --label org.opencontainers.image.revision=c0ffee',
].join(' ');

it('buildPlan builds the image, chart, SDK and kits with their bills of materials, and the checksums last', () => {
  expect(buildPlan(terms).map((step) => commandText(step))).toEqual([
    'node deploy/release/write-bill.ts . application /out/muster-0.2.0-image.cdx.json',
    'node deploy/release/write-bill.ts sdk library /out/muster-sdk-0.2.0.cdx.json',
    '(cd sdk && npm pack --pack-destination /out)',
    '(cd sdk/python && python3 -m pip wheel --quiet --no-deps --wheel-dir /out .)',
    '(cd sdk/java && mvn --batch-mode --quiet -Dmaven.test.skip=true -DbuildFolder=target/release -DjarFolder=/out package)',
    'helm package deploy/helm/muster --destination /out',
    `${image} --tag muster:0.2.0 --output type=oci,dest=/out/muster-0.2.0-image.oci.tar .`,
    'node deploy/release/write-checksums.ts /out',
  ]);
});

it('publishPlan publishes the artifacts and creates the tag after all of them', () => {
  expect(publishPlan(terms, 'registry.test/acme').map((step) => commandText(step))).toEqual([
    `${image} --tag registry.test/acme/muster:0.2.0 --push --metadata-file /out/pushed-image.json .`,
    'helm push /out/muster-0.2.0.tgz oci://registry.test/acme/charts',
    'npm publish /out/muster-sdk-0.2.0.tgz --access public',
    `git tag -a v0.2.0 -m 'Muster 0.2.0' c0ffee`,
    'git push origin v0.2.0',
  ]);
});

it('publishPlan publishes a pre-release under a separate npm tag, so it is not installed by default', () => {
  const published = publishPlan({ ...terms, version: '0.2.0-rc.1' }, 'registry.test/acme').map((step) =>
    commandText(step),
  );
  expect(published).toContain('npm publish /out/muster-sdk-0.2.0-rc.1.tgz --access public --tag next');
});
