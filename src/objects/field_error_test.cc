#include "src/objects/field_error.h"

#include <gmock/gmock.h>

#include "src/objects/feature_gates.h"

namespace quorate::objects {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing::StartsWith;
using Kind = FieldError::Kind;

TEST(FieldErrors, ReadLikeKubernetes) {
  EXPECT_EQ((FieldError{"spec.a", Kind::Invalid, "3", "must be less"}).text(),
            "spec.a: Invalid value: 3: must be less");
  EXPECT_EQ((FieldError{"spec.a", Kind::Invalid, quoted(""), ""}).text(),
            R"(spec.a: Invalid value: "")");
  EXPECT_EQ((FieldError{"a[0]", Kind::Required, "x", "must be set"}).text(),
            "a[0]: Required value: must be set");
  EXPECT_EQ((FieldError{"a", Kind::NotFound, quoted("b"), ""}).text(), R"(a: Not found: "b")");
  const FieldError one{"a", Kind::Forbidden, "", "no"};
  EXPECT_EQ(join({}), "");
  EXPECT_EQ(join({one, one}), "a: Forbidden: no");
  EXPECT_EQ(join({one, {"b", Kind::Duplicate, "1", ""}, one}),
            "[a: Forbidden: no, b: Duplicate value: 1]");
}

TEST(Names, AreCheckedAsKubernetesChecksThem) {
  EXPECT_THAT(dns_label_faults("a-0"), IsEmpty());
  EXPECT_THAT(dns_label_faults("a.b"), ElementsAre(StartsWith("a lowercase RFC 1123 label must")));
  EXPECT_THAT(dns_label_faults(std::string(64, 'a')), ElementsAre("must be no more than 63 bytes"));
  EXPECT_THAT(dns_label_faults(""), SizeIs(1));
  EXPECT_THAT(dns_label_faults("-a"), SizeIs(1));
  EXPECT_THAT(dns1035_label_faults("a1"), IsEmpty());
  EXPECT_THAT(dns1035_label_faults("1a"), SizeIs(1));
  EXPECT_THAT(dns_subdomain_faults("a.b-c.d"), IsEmpty());
  for (const char* bad : {"", ".", "a..b", "a.", "A", "a_b", "a.-b"}) {
    EXPECT_THAT(dns_subdomain_faults(bad), SizeIs(1)) << bad;
  }
  EXPECT_THAT(dns_subdomain_faults(std::string(253, 'a')), IsEmpty());
  EXPECT_THAT(label_key_faults("example.com/My.Name_1"), IsEmpty());
  EXPECT_THAT(label_key_faults("/x"), ElementsAre("prefix part must be non-empty"));
  EXPECT_THAT(label_key_faults("a/"),
              ElementsAre("name part must be non-empty", StartsWith("name part must consist of")));
  EXPECT_THAT(label_key_faults("a/b/c"),
              ElementsAre(HasSubstr("with an optional DNS subdomain prefix and '/'")));
  EXPECT_THAT(label_key_faults("Bad_Prefix/x"), ElementsAre(StartsWith("prefix part a lowercase")));
  EXPECT_THAT(label_value_faults(""), IsEmpty());
  EXPECT_THAT(label_value_faults("a b"), SizeIs(1));
}

TEST(Gates, HaveDefaultsAndRequirements) {
  const auto gates = FeatureGates::from({});
  ASSERT_TRUE(gates);
  EXPECT_TRUE(gates->enabled("PartialAdmission"));
  EXPECT_FALSE(gates->enabled("ConcurrentAdmission"));
  EXPECT_FALSE(FeatureGates::known("LendingLimit"));
  EXPECT_EQ(*FeatureGates::from({{"PartialAdmission", true}}), *gates);
  EXPECT_FALSE(FeatureGates::from({{"PartialAdmission", false}})->enabled("PartialAdmission"));

  EXPECT_EQ(FeatureGates::from({{"Nonsense", true}}).error().message,
            "unrecognized feature gate: Nonsense");
  EXPECT_THAT(FeatureGates::from({{"TLSOptions", false}}).error().message, HasSubstr("locked"));
  EXPECT_TRUE(FeatureGates::from({{"TLSOptions", true}}));
  EXPECT_EQ(FeatureGates::from({{"TopologyAwareScheduling", false}}).error().message,
            "cannot use a TAS profile with TAS disabled");
  EXPECT_THAT(FeatureGates::from({{"TopologyAwareScheduling", false}, {"TASProfileMixed", false}})
                  .error()
                  .message,
              HasSubstr("depends on features that are disabled: [TopologyAwareScheduling]"));
  const auto alpha = FeatureGates::from({{"AllAlpha", true}, {"DisableWaitForPodsReady", false}});
  ASSERT_TRUE(alpha) << alpha.error().message;
  EXPECT_TRUE(alpha->enabled("ConcurrentAdmission"));
  EXPECT_FALSE(alpha->enabled("DisableWaitForPodsReady"));
}

TEST(Gates, ReadTheFlag) {
  EXPECT_EQ(*FeatureGates::parse_flag("A=true,B=0"),
            (std::map<std::string, bool>{{"A", true}, {"B", false}}));
  EXPECT_TRUE(FeatureGates::parse_flag("")->empty());
  EXPECT_EQ(FeatureGates::parse_flag("A").error().message, "missing bool value for A");
  EXPECT_EQ(FeatureGates::parse_flag("A=maybe").error().message,
            "A: \"maybe\" is neither true nor false");
}

}  // namespace
}  // namespace quorate::objects
