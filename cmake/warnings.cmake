# One interface target that carries the warnings and the sanitizers of every target of the project.
add_library(rowrunner_flags INTERFACE)
target_compile_options(rowrunner_flags INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor
                                                 -Wold-style-cast -Woverloaded-virtual)
# Another compiler or library warns of other things: that must not stop those who only build it.
if(ROWRUNNER_WERROR)
  target_compile_options(rowrunner_flags INTERFACE -Werror)
endif()
# Lets ccache see the precompiled header as one thing instead of preprocessing all that is in it.
target_compile_options(rowrunner_flags INTERFACE -fpch-preprocess)
# g++ 12 sees the frame of an inlined coroutine freed by another function than allocated it.
target_compile_options(rowrunner_flags INTERFACE -Wno-mismatched-new-delete)
# At -O3 it also sees accesses beyond short strings that are being joined, where there are none.
target_compile_options(rowrunner_flags INTERFACE
  $<$<CONFIG:Release>:-Wno-array-bounds -Wno-stringop-overflow -Wno-restrict>)
if(ROWRUNNER_SANITIZE)
  target_compile_options(rowrunner_flags INTERFACE -fsanitize=${ROWRUNNER_SANITIZE}
                                                   -fno-omit-frame-pointer)
  target_link_options(rowrunner_flags INTERFACE -fsanitize=${ROWRUNNER_SANITIZE})
  if(ROWRUNNER_SANITIZE MATCHES thread)
    # Asio uses atomic_thread_fence, which g++ says TSan cannot see; its queues are locked besides.
    target_compile_options(rowrunner_flags INTERFACE -Wno-tsan)
  endif()
endif()
