// What the page shows when the agent's worker cannot be started at all.
export const StartFailure = ({ message, onRetry }: { readonly message: string; readonly onRetry: () => void }) => (
  <main class="start-failure">
    <div class="failure" role="alert">
      <h1>Sideloop could not start its agent</h1>
      <p class="failure__words">{message}</p>
      <p>Nothing that was stored is lost.</p>
      <button type="button" class="button button--main" onClick={onRetry}>
        Reload the page
      </button>
    </div>
  </main>
)
