import { SkeletonBar, SkeletonRows, useHasWaited } from '../../parts/standing/skeleton.tsx';

/** The page at its final height before its data is loaded. */
export function UserSkeleton() {
  const isVisible = useHasWaited();
  return (
    <div aria-busy="true" aria-label="Loading the user" role="status" className="grid gap-4">
      <h1 className="sr-only">User</h1>
      <div className="h-12 pt-3">{isVisible && <SkeletonBar width={200} />}</div>
      <section className="panel h-11 p-4">{isVisible && <SkeletonBar width="50%" />}</section>
      <section className="panel overflow-hidden">
        <table>
          <tbody>
            <SkeletonRows rows={7} columns={[90, 320]} tall />
          </tbody>
        </table>
      </section>
    </div>
  );
}
