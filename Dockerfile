# syntax=docker/dockerfile:1
#
#   docker build -t ballast .
#   docker run --restart unless-stopped --init --stop-timeout 120 --read-only --tmpfs /tmp -v ballast:/data --env-file .env -p 127.0.0.1:8787:8787 ballast
#
# Docker cannot tell exit codes apart: it starts the bot again after a halt too, and the lock in the journal refuses each start.
# With on-failure a bot that ended in good order with its machine, or with the Docker daemon, would stay away.
# deploy/ballast.service tells them apart (docs/SUPERVISORS.md).
#
# Configuration and journal live in /data. To reach the dashboard from outside the container, set DASHBOARD_TOKEN to 32
# characters or more, write dashboard: { host: 0.0.0.0, insecure: true } in ballast.yaml, because the token crosses the
# container's network in the clear, and publish the port on the host's loopback only, as above.

FROM node:24.21.0-bookworm-slim AS build
WORKDIR /build
COPY package.json package-lock.json .npmrc LICENSE ./
# No install scripts: the only one this needs brings the Node that this image already is.
RUN npm ci --ignore-scripts
COPY tsconfig.json ./
COPY scripts/build.ts scripts/
COPY scripts/release scripts/release
COPY strategies strategies
COPY contracts/abi contracts/abi
COPY contracts/artifacts contracts/artifacts
COPY docs/tapes docs/tapes
COPY src src
# docker build --build-arg BALLAST_COMMIT=$(git rev-parse --short=12 HEAD) …: what `ballast version` names.
ARG BALLAST_COMMIT=
RUN BALLAST_COMMIT="$BALLAST_COMMIT" node scripts/build.ts /release
# docker build --build-arg KMS=@aws-sdk/client-kms … or @google-cloud/kms: the client of a key that is kept there (docs/KEYS.md).
ARG KMS=
RUN if [ -n "$KMS" ]; then \
      version=$(node -p 'require("./package.json").devDependencies[process.argv[1]]' "$KMS") \
      && npm install --prefix /release --omit=dev --ignore-scripts --no-package-lock "$KMS@$version"; \
    fi

FROM node:24.21.0-bookworm-slim
# A package manager has no business beside a key.
RUN rm -rf /usr/local/lib/node_modules /opt/yarn* \
      /usr/local/bin/npm /usr/local/bin/npx /usr/local/bin/corepack /usr/local/bin/yarn /usr/local/bin/yarnpkg \
 && install -d -o 65532 -g 65532 -m 0700 /data /run/signer
COPY --from=build /release /app
# What a supervisor asks one process of a fleet by: deploy/fleet/compose.yaml, deploy/helm/ballast.
COPY deploy/probe.mjs /app/
ENV NODE_ENV=production \
    NODE_COMPILE_CACHE=/tmp/node-compile-cache \
    XDG_STATE_HOME=/data \
    BALLAST_CONFIG=/data/ballast.yaml
USER 65532:65532
WORKDIR /data
VOLUME /data
EXPOSE 8787
# A swap in flight is finished before the process ends: give it more than the 10 s Docker waits by itself.
STOPSIGNAL SIGTERM
# Ready, not only alive: unhealthy while a lock holds or something needs attention (docs/MONITORING.md). A restart heals none of
# it. It asks the journal, so that the dashboard may be at a socket, behind TLS or at any port. `run --paper` and `--config`
# need the same here: docker run --health-cmd "node /app/ballast.mjs status --check --paper".
HEALTHCHECK --interval=60s --timeout=30s --start-period=60s --retries=2 \
  CMD ["node", "/app/ballast.mjs", "status", "--check"]
ENTRYPOINT ["node", "--disable-sigusr1", "/app/ballast.mjs"]
CMD ["run"]
