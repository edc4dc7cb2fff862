# The program in a small image: docker build --build-arg COMMIT=$(git rev-parse --short=12 HEAD) -t rowrunner .
FROM debian:bookworm-slim AS build
RUN apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends \
      g++ cmake ninja-build ccache pkg-config ca-certificates \
      libpqxx-dev libpq-dev libboost-url1.81-dev nlohmann-json3-dev libspdlog-dev libcli11-dev libssl-dev \
      libcairo2-dev libpango1.0-dev zlib1g-dev libutf8proc-dev \
      libqpdf-dev libpoppler-cpp-dev libtesseract-dev libleptonica-dev libseccomp-dev \
      libvalijson-dev libcsv-dev libhiredis-dev prometheus-cpp-dev \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /rowrunner
COPY . .
ARG COMMIT=
RUN --mount=type=cache,target=/root/.cache/ccache \
    cmake --preset release -DROWRUNNER_COMMIT="$COMMIT" \
    && cmake --build --preset release --target rowrunner \
    && mkdir /out && strip -o /out/rowrunner build/release/src/apps/rowrunner \
    && deploy/container/runtime-packages /out/rowrunner >/out/packages

FROM debian:bookworm-slim
COPY --from=build /out/packages /usr/share/rowrunner/packages
# Letters of every script for pictures and pages, the languages of OCR, and the authorities for TLS; the libraries are
# those that the program was linked with.
RUN apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends \
      ca-certificates fonts-noto-core fonts-noto-cjk poppler-data tesseract-ocr-eng tesseract-ocr-jpn \
      $(cat /usr/share/rowrunner/packages) \
    && rm -rf /var/lib/apt/lists/* /usr/share/doc /usr/share/man /var/cache/fontconfig/* \
    && fc-cache \
    && useradd --system --uid 10001 --user-group --no-create-home --home-dir /storage rowrunner \
    && install -d -o rowrunner -g rowrunner -m 750 /storage /data
COPY LICENSE examples/kyoto.json /usr/share/rowrunner/
COPY deploy/container/health /usr/local/bin/health
COPY --from=build /out/rowrunner /usr/local/bin/rowrunner
ARG VERSION=0.1.0
ARG COMMIT=
LABEL org.opencontainers.image.title="rowrunner" \
      org.opencontainers.image.description="A job is a row in your own PostgreSQL table. Rowrunner runs it." \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="$VERSION" \
      org.opencontainers.image.revision="$COMMIT"
USER rowrunner
WORKDIR /storage
VOLUME /storage
# The storage is apart from /data (DATA_DIR): jobs of the relay may name any file there. A worker has its health on
# HEALTH_PORT; a server, which has PORT, does not look at it.
ENV LOCAL_STORAGE_PATH=/storage HEALTH_PORT=8081
EXPOSE 5000 8080 8081
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=3 CMD ["health"]
ENTRYPOINT ["rowrunner"]
CMD ["worker"]
