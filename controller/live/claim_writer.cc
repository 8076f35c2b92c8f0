#include "controller/live/claim_writer.h"

#include <algorithm>
#include <utility>

#include "controller/live/feed.h"
#include "controller/live/log.h"
#include "controller/reconcile/write.h"
#include "src/objects/encode.h"
#include "src/objects/kinds.h"
#include "src/translate/translate.h"

namespace quorate::controller {
namespace {

using objects::ResourceClaim;
using scheduler::ClaimWrite;
using scheduler::ReleaseClaim;

constexpr int kTries = 5;

kube::Resource claims() { return resource_of(objects::kinds::kResourceClaim); }

// The same devices, in whatever order.
bool same_devices(const dra::Allocation& a, const dra::Allocation& b) {
  const auto names = [](const dra::Allocation& of) {
    std::vector<std::string> all;
    for (const dra::AllocatedDevice& each : of.devices) {
      all.push_back(each.request + " " + each.device.text() + " " + each.share_id);
    }
    std::ranges::sort(all);
    return all;
  };
  return names(a) == names(b);
}

Outcome<ResourceClaim> claim_in(const kube::Document& document) {
  const Outcome<kube::RawObject> raw = document.object();
  if (!raw) return tl::unexpected(raw.error());
  return decode<ResourceClaim>(*raw);
}

}  // namespace

ClaimStep next_step(const ResourceClaim& claim, const ClaimWrite& write, Time now) {
  const std::string name = claim.meta.key.text();
  if (!write.claim_uid.empty() && claim.meta.uid != write.claim_uid) {
    return ClaimRefused{"claim " + name + " is another one of that name"};
  }
  if (claim.meta.deleted) return ClaimRefused{"claim " + name + " is being deleted"};
  dra::ClaimStatus status = claim.status;
  if (status.allocation) {
    if (write.allocation != nullptr && !same_devices(*status.allocation, *write.allocation)) {
      return ClaimRefused{"claim " + name + " got allocated elsewhere in the meantime"};
    }
    const bool reserved = std::ranges::any_of(status.reserved_for, [&](const dra::Consumer& each) {
      return each.uid == write.consumer.uid;
    });
    if (reserved) return ClaimIsThere{};
  } else {
    if (write.allocation == nullptr) {
      return ClaimRefused{"claim " + name + " is not allocated any more"};
    }
    if (!objects::has_finalizer(claim.meta, objects::kClaimFinalizer)) {
      std::vector<std::string> finalizers = claim.meta.finalizers;
      finalizers.emplace_back(objects::kClaimFinalizer);
      return AddFinalizer{objects::finalizers_patch(claim.meta.resource_version, finalizers)};
    }
    status.allocation = *write.allocation;
    status.allocation->allocated_at = Time::from_seconds(now.nanos / 1'000'000'000);
  }
  if (status.reserved_for.size() >= dra::kMostConsumers) {
    return ClaimRefused{"add reservation to claim " + name + ": status.reservedFor: Too many: " +
                        std::to_string(status.reserved_for.size() + 1) +
                        ": must have at most 256 items"};
  }
  status.reserved_for.push_back(write.consumer);
  return WriteStatus{
      objects::claim_status_patch(claim.meta.uid, claim.meta.resource_version, status)};
}

struct ClaimWriter::Shared : std::enable_shared_from_this<ClaimWriter::Shared> {
  Shared(kube::Client& for_claims, Post post_event)
      : client(for_claims), post(std::move(post_event)) {}

  struct Chain {
    std::vector<ClaimWrite> writes;
    std::size_t next = 0;
    int tries = kTries;
    Done done;
  };

  void advance(const std::shared_ptr<Chain>& chain) {
    if (chain->next == chain->writes.size()) return chain->done({});
    const ClaimWrite& write = chain->writes[chain->next];
    if (write.claim.name.empty()) return make(chain);
    client.submit(kube::get(claims(), write.claim), answer(chain));
  }

  // The claim of a pod's extended resources.
  void make(const std::shared_ptr<Chain>& chain) {
    const ClaimWrite& write = chain->writes[chain->next];
    ResourceClaim claim;
    claim.meta.key = {write.claim.ns, ""};
    claim.meta.generate_name = write.consumer.name + "-extended-resources-";
    claim.meta.annotations[std::string(objects::kExtendedResourceClaim)] = "true";
    claim.meta.owners = {{"v1", "Pod", write.consumer.name, write.consumer.uid, true, true}};
    claim.meta.finalizers = {std::string(objects::kClaimFinalizer)};
    claim.spec = *write.spec;
    client.submit(kube::create(claims(), claim.meta.key, objects::encode_json(claim)),
                  answer(chain));
  }

  kube::Client::Completion answer(const std::shared_ptr<Chain>& chain) {
    return [weak = weak_from_this(), chain](Outcome<kube::Document> document) {
      const auto shared = weak.lock();
      if (shared) shared->step(chain, std::move(document));
    };
  }

  void step(const std::shared_ptr<Chain>& chain, Outcome<kube::Document> document) {
    ClaimWrite& write = chain->writes[chain->next];
    if (!document) {
      const Error& why = document.error();
      // It changed since it was read, or no answer came: look again.
      const bool again = why.code == Errc::Conflict || why.code == Errc::Unavailable;
      if (again && --chain->tries > 0 && !write.claim.name.empty()) return advance(chain);
      return chain->done(within("claim " + write.claim.text(), why));
    }
    const Outcome<ResourceClaim> claim = claim_in(*document);
    if (!claim) return chain->done(within("claim " + write.claim.text(), claim.error()));
    if (write.claim.name.empty()) {
      write.claim = claim->meta.key;
      write.claim_uid = claim->meta.uid;
    }
    const ClaimStep next = next_step(*claim, write, client.loop().wall());
    if (const auto* refused = std::get_if<ClaimRefused>(&next)) {
      post(translate::to_spec(*claim));
      return chain->done(error(Errc::Conflict, refused->why));
    }
    if (std::holds_alternative<ClaimIsThere>(next)) {
      post(translate::to_spec(*claim));
      ++chain->next;
      chain->tries = kTries;
      return advance(chain);
    }
    const auto* finalizer = std::get_if<AddFinalizer>(&next);
    client.submit(
        kube::patch(claims(), write.claim, kube::PatchKind::Merge,
                    finalizer != nullptr ? finalizer->patch : std::get<WriteStatus>(next).patch,
                    {.subresource = finalizer != nullptr ? "" : "status"}),
        answer(chain));
  }

  // A reservation goes by a patch that touches nothing else; an allocation only together with the
  // last reservation, and only if the claim is as it was read.
  void release(const std::shared_ptr<ReleaseClaim>& what, int tries) {
    if (what->claim.name.empty()) return released(*what);  // kept until the pod's deletion
    if (!what->deallocate) {
      return submit_release(
          what, tries,
          kube::patch(claims(), what->claim, kube::PatchKind::Strategic,
                      objects::claim_unreserve_patch(what->claim_uid, what->consumer_uid),
                      {.subresource = "status"}));
    }
    client.submit(kube::get(claims(), what->claim), [weak = weak_from_this(), what,
                                                     tries](Outcome<kube::Document> document) {
      const auto shared = weak.lock();
      if (!shared) return;
      const Outcome<ResourceClaim> claim =
          document ? claim_in(*document) : Outcome<ResourceClaim>(tl::unexpected(document.error()));
      if (!claim) return shared->not_released(what, tries, claim.error());
      shared->deallocate(what, tries, *claim);
    });
  }

  void deallocate(const std::shared_ptr<ReleaseClaim>& what, int tries,
                  const ResourceClaim& claim) {
    const bool ours = claim.meta.uid == what->claim_uid && claim.status.allocation.has_value() &&
                      std::ranges::all_of(claim.status.reserved_for, [&](const auto& each) {
                        return each.uid == what->consumer_uid;
                      });
    if (!ours) {
      post(translate::to_spec(claim));
      return released(*what);
    }
    submit_release(
        what, tries,
        kube::patch(claims(), what->claim, kube::PatchKind::Merge,
                    objects::claim_status_patch(claim.meta.uid, claim.meta.resource_version, {}),
                    {.subresource = "status"}));
  }

  void submit_release(const std::shared_ptr<ReleaseClaim>& what, int tries,
                      kube::ApiRequest request) {
    client.submit(std::move(request),
                  [weak = weak_from_this(), what, tries](Outcome<kube::Document> document) {
                    const auto shared = weak.lock();
                    if (!shared) return;
                    if (!document) return shared->not_released(what, tries, document.error());
                    if (const auto claim = claim_in(*document)) {
                      shared->post(translate::to_spec(*claim));
                    }
                    shared->released(*what);
                  });
  }

  void not_released(const std::shared_ptr<ReleaseClaim>& what, int tries, const Error& why) {
    if (why.code == Errc::Fenced) return;
    if (why.code == Errc::NotFound) return released(*what);
    if (tries > 0) return release(what, tries - 1);
    // The claim controller ends what we could not.
    log_warn("claim was not released", {{"claim", what->claim.text()}, {"reason", why.message}});
    released(*what);
  }

  void released(const ReleaseClaim& what) {
    post(engine::ClaimReleased{what.claim, what.consumer_uid});
  }

  kube::Client& client;
  const Post post;
};

ClaimWriter::ClaimWriter(kube::Client& client, Post post)
    : shared_(std::make_shared<Shared>(client, std::move(post))) {}
ClaimWriter::~ClaimWriter() = default;

void ClaimWriter::write_all(std::vector<ClaimWrite> writes, Done done) {
  shared_->advance(std::make_shared<Shared::Chain>(
      Shared::Chain{std::move(writes), 0, kTries, std::move(done)}));
}

void ClaimWriter::release(ReleaseClaim release) {
  shared_->release(std::make_shared<ReleaseClaim>(std::move(release)), kTries);
}

}  // namespace quorate::controller
