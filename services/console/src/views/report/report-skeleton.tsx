import { SkeletonBar, SkeletonRows, useHasWaited } from '../../parts/standing/skeleton.tsx';

/** The page at its final height before its data is loaded. */
export function ReportSkeleton() {
  const isVisible = useHasWaited();
  return (
    <div aria-busy="true" aria-label="Loading the report" role="status" className="grid gap-4">
      <h1 className="sr-only">Report</h1>
      <div className="h-12 pt-3">{isVisible && <SkeletonBar width={260} />}</div>
      <section className="panel h-26 py-6 px-4">{isVisible && <SkeletonBar width="60%" />}</section>
      <section className="panel overflow-hidden">
        <table>
          <tbody>
            <SkeletonRows rows={8} columns={[110, 60, 260, 60, 40, 40, 60]} />
          </tbody>
        </table>
      </section>
    </div>
  );
}
