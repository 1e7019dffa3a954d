import { SkeletonBar, SkeletonRows, useHasWaited } from '../../parts/standing/skeleton.tsx';

/** The page at its final height before its data is loaded. */
export function LiveRunSkeleton() {
  const isVisible = useHasWaited();
  return (
    <div aria-busy="true" aria-label="Loading the run" role="status" className="grid gap-4">
      <h1 className="sr-only">Run</h1>
      <div className="h-12 pt-3">{isVisible && <SkeletonBar width={260} />}</div>
      <div className="kpis">
        {[110, 90, 100, 70, 80].map((width) => (
          <div className="kpi h-21.25 pt-5" key={width}>
            {isVisible && <SkeletonBar width={width} />}
          </div>
        ))}
      </div>
      <section className="panel overflow-hidden">
        <table>
          <tbody>
            <SkeletonRows rows={8} columns={[110, 60, 160, 60, 40, 40, 60]} />
          </tbody>
        </table>
      </section>
    </div>
  );
}
